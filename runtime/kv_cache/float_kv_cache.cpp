// SPDX-License-Identifier: MIT
#include "heed/float_kv_cache.hpp"

#include "common/as_made.hpp"
#include "common/validation.hpp"

namespace heed {
namespace {

[[nodiscard]] std::uint32_t* lengths_in(const FloatKvCachePlan& plan, std::byte* memory) noexcept {
  return reinterpret_cast<std::uint32_t*>(memory + plan.lengths.offset);
}

[[nodiscard]] Status check_place(const FloatKvCachePlan& plan, std::span<const std::byte> memory) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  detail::expect_as_made(plan);
  return detail::check_memory(memory, plan.bytes);
}

[[nodiscard]] std::size_t stream_of(const FloatKvCacheConfig& config, std::uint32_t sequence,
                                    std::uint32_t kv_head) noexcept {
  return std::size_t{sequence} * config.kv_heads + kv_head;
}

[[nodiscard]] std::size_t panels_per_stream(const FloatKvCachePlan& plan) noexcept {
  return std::size_t{plan.key_panels} * panel_width * plan.config.head_dim;
}

[[nodiscard]] std::size_t values_per_stream(const FloatKvCachePlan& plan) noexcept {
  return std::size_t{plan.config.max_keys} * plan.value_width;
}

}  // namespace

Status FloatKvCache::bind(const FloatKvCachePlan& plan, std::span<std::byte> memory) noexcept {
  const Status status = check_place(plan, memory);
  if (status != Status::ok) return status;
  const std::uint32_t* lengths = lengths_in(plan, memory.data());
  for (std::uint32_t sequence = 0; sequence < plan.config.max_sequences; ++sequence) {
    if (lengths[sequence] > plan.config.max_keys) return Status::bad_state;
  }
  place(plan, memory.data());
  return Status::ok;
}

Status FloatKvCache::init(const FloatKvCachePlan& plan, std::span<std::byte> memory) noexcept {
  const Status status = check_place(plan, memory);
  if (status != Status::ok) return status;
  place(plan, memory.data());
  for (std::uint32_t sequence = 0; sequence < plan.config.max_sequences; ++sequence) lengths()[sequence] = 0;
  return Status::ok;
}

std::uint32_t* FloatKvCache::lengths() const noexcept {
  return lengths_in(*plan_, memory_);
}

std::uint32_t FloatKvCache::length(std::uint32_t sequence) const noexcept {
  return memory_ != nullptr && sequence < plan_->config.max_sequences ? lengths()[sequence] : 0;
}

const float* FloatKvCache::key_panels(std::uint32_t sequence, std::uint32_t kv_head) const noexcept {
  return reinterpret_cast<const float*>(memory_ + plan_->keys.offset) +
         stream_of(plan_->config, sequence, kv_head) * panels_per_stream(*plan_);
}

const float* FloatKvCache::values(std::uint32_t sequence, std::uint32_t kv_head) const noexcept {
  return reinterpret_cast<const float*>(memory_ + plan_->values.offset) +
         stream_of(plan_->config, sequence, kv_head) * values_per_stream(*plan_);
}

float* FloatKvCache::key_lane(std::uint32_t sequence, std::uint32_t kv_head, std::uint32_t token) const noexcept {
  return reinterpret_cast<float*>(memory_ + plan_->keys.offset) +
         stream_of(plan_->config, sequence, kv_head) * panels_per_stream(*plan_) +
         std::size_t{token / panel_width} * panel_width * plan_->config.head_dim + token % panel_width;
}

Status FloatKvCache::append(std::uint32_t sequence, std::uint32_t tokens, ConstTensor key, ConstTensor value) noexcept {
  if (!initialised()) return Status::not_initialised;
  const FloatKvCacheConfig& config = plan_->config;
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (tokens == 0) return Status::ok;
  const std::uint32_t first = lengths()[sequence];
  if (tokens > config.max_keys - first) return Status::cache_full;
  Status status = detail::check_input(key, 1, config.kv_heads, tokens, config.head_dim);
  if (status != Status::ok) return status;
  status = detail::check_input(value, 1, config.kv_heads, tokens, config.value_dim);
  if (status != Status::ok) return status;

  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    const std::size_t stream = stream_of(config, sequence, head);
    float* panels = reinterpret_cast<float*>(memory_ + plan_->keys.offset) + stream * panels_per_stream(*plan_);
    float* rows = reinterpret_cast<float*>(memory_ + plan_->values.offset) + stream * values_per_stream(*plan_);
    for (std::uint32_t t = 0; t < tokens; ++t) {
      const std::size_t position = std::size_t{first} + t;
      float* lane = panels + position / panel_width * panel_width * config.head_dim + position % panel_width;
      const float* from_key = key.row(0, head, t);
      for (std::uint32_t d = 0; d < config.head_dim; ++d) lane[std::size_t{d} * panel_width] = from_key[d];
      float* row = rows + position * plan_->value_width;
      const float* from_value = value.row(0, head, t);
      for (std::uint32_t d = 0; d < config.value_dim; ++d) row[d] = from_value[d];
      for (std::uint32_t d = config.value_dim; d < plan_->value_width; ++d) row[d] = 0.0F;
    }
  }
  lengths()[sequence] = first + tokens;
  return Status::ok;
}

Status FloatKvCache::truncate(std::uint32_t sequence, std::uint32_t length) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (sequence >= plan_->config.max_sequences) return Status::bad_sequence;
  if (length > lengths()[sequence]) return Status::bad_length;
  lengths()[sequence] = length;
  return Status::ok;
}

}  // namespace heed
