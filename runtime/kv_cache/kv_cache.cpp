// SPDX-License-Identifier: MIT
#include "heed/kv_cache.hpp"

#include <bit>
#include <kernels/finite.hpp>
#include <limits>

#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "kv_cache/quantized_layout.hpp"
#include "quantization/quantize.hpp"

namespace heed {
namespace {

/// Whether no key is infinite or NaN: key [1, kv_heads, tokens, head_dim].
[[nodiscard]] bool finite_keys(const KvCacheConfig& config, std::uint32_t tokens, ConstTensor key) noexcept {
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    if (!detail::all_finite(key.row(0, head, 0), detail::used_stride(tokens, key.row_stride), tokens, config.head_dim))
      return false;
  }
  return true;
}

/// Stores one token of one head in a slot.
void store_token(const KvCachePlan& plan, const detail::QuantizedLayout<std::byte>& parts, std::uint32_t slot,
                 const float* key, const float* value) noexcept {
  const KvCacheConfig& config = plan.config;
  const detail::QuantizedRow keys = detail::key_row(plan, parts, slot);
  if (config.key_scales_per_channel) {
    detail::store_row_by_channel(key, reinterpret_cast<const float*>(parts.key_scales), config.head_dim, keys);
  } else {
    detail::store_row(config.key_type, key, config.head_dim, config.head_dim, keys,
                      detail::key_scale_row(plan, parts, slot));
  }
  detail::store_value(plan, parts, slot, value);
}

/// What a scale of a channel is stored as.
[[nodiscard]] float stored_scale(float scale) noexcept {
  return detail::round_up_to_short(scale, 8);
}

/// Whether 127 times a scale that is not negative, rounded up, is finite.
[[nodiscard]] bool is_scale(float scale) noexcept {
  return detail::is_finite(scale) && detail::is_finite(127.0F * stored_scale(scale));
}

[[nodiscard]] std::uint32_t* states_in(const KvCachePlan& plan, std::byte* memory) noexcept {
  return reinterpret_cast<std::uint32_t*>(memory + plan.states.offset);
}

/// Scales per channel [kv_heads, head_dim].
[[nodiscard]] std::span<float> key_scales_in(const KvCachePlan& plan, std::byte* memory) noexcept {
  return {reinterpret_cast<float*>(memory + plan.key_scales.offset),
          std::size_t{plan.config.kv_heads} * plan.config.head_dim};
}

[[nodiscard]] bool all_nan(std::span<const float> scales) noexcept {
  for (const float scale : scales) {
    if (scale == scale) return false;
  }
  return true;
}

/// Whether set_key_scales() may have written them.
[[nodiscard]] bool are_stored_scales(std::span<const float> scales) noexcept {
  for (const float scale : scales) {
    const auto bits = std::bit_cast<std::uint32_t>(scale);
    if (bits >> 31 != 0 || (bits & 0xFFU) != 0 || !is_scale(scale)) return false;
  }
  return true;
}

[[nodiscard]] Status check_place(const KvCachePlan& plan, std::span<const std::byte> memory) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  detail::expect_as_made(plan);
  return detail::check_memory(memory, plan.bytes);
}

}  // namespace

Status KvCache::bind(const KvCachePlan& plan, std::span<std::byte> memory) noexcept {
  const Status status = check_place(plan, memory);
  if (status != Status::ok) return status;
  const KvCacheConfig& config = plan.config;
  const std::uint32_t* states = states_in(plan, memory.data());
  const std::uint32_t most_tokens = config.ring ? max_tokens : config.max_keys;
  for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
    if (states[sequence] > most_tokens) return Status::bad_state;
  }
  if (config.key_scales_per_channel) {
    const std::span<const float> scales = key_scales_in(plan, memory.data());
    if (!all_nan(scales) && !are_stored_scales(scales)) return Status::bad_state;
  }
  place(plan, memory.data());
  return Status::ok;
}

Status KvCache::init(const KvCachePlan& plan, std::span<std::byte> memory) noexcept {
  const Status status = check_place(plan, memory);
  if (status != Status::ok) return status;
  std::uint32_t* states = states_in(plan, memory.data());
  for (std::uint32_t sequence = 0; sequence < plan.config.max_sequences; ++sequence) states[sequence] = 0;
  if (plan.config.key_scales_per_channel) {
    // NaN says that the scales are not set.
    for (float& scale : key_scales_in(plan, memory.data())) scale = std::numeric_limits<float>::quiet_NaN();
  }
  return bind(plan, memory);
}

std::uint32_t* KvCache::states() const noexcept {
  return states_in(*plan_, memory_);
}

std::uint32_t KvCache::tokens(std::uint32_t sequence) const noexcept {
  return memory_ != nullptr && sequence < plan_->config.max_sequences ? states()[sequence] : 0;
}

std::uint32_t KvCache::length(std::uint32_t sequence) const noexcept {
  const std::uint32_t appended = tokens(sequence);
  return appended == 0 || appended < plan_->config.max_keys ? appended : plan_->config.max_keys;
}

std::uint32_t KvCache::position(std::uint32_t sequence, std::uint32_t slot) const noexcept {
  const std::uint32_t appended = states()[sequence];
  if (appended <= plan_->config.max_keys || slot < plan_->config.sink_tokens) return slot;
  // Behind the newest token the ring goes on with the oldest one.
  const std::uint32_t newest = detail::slot_of(plan_->config, appended - 1);
  const std::uint32_t ring = plan_->config.max_keys - plan_->config.sink_tokens;
  const std::uint32_t steps_back = slot <= newest ? newest - slot : newest + ring - slot;
  return appended - 1 - steps_back;
}

Status KvCache::set_key_scales(std::span<const float> scales) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (!plan_->config.key_scales_per_channel) return Status::plan_mismatch;
  for (std::uint32_t sequence = 0; sequence < plan_->config.max_sequences; ++sequence) {
    if (states()[sequence] != 0) return Status::not_empty;
  }
  if (scales.data() == nullptr) return Status::null_pointer;
  const std::span<float> to = key_scales_in(*plan_, memory_);
  if (scales.size() != to.size()) return Status::bad_length;
  for (const float scale : scales) {
    if (!(scale >= 0.0F) || !is_scale(scale)) return Status::bad_scale;
  }
  // A zero may come with a sign, which the bits of the others do not have.
  for (std::size_t c = 0; c < to.size(); ++c) to[c] = scales[c] > 0.0F ? stored_scale(scales[c]) : 0.0F;
  return Status::ok;
}

Status KvCache::check_append(std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                             const ConstTensor& value) const noexcept {
  if (!initialised()) return Status::not_initialised;
  const KvCacheConfig& config = plan_->config;
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (tokens == 0) return Status::ok;
  const std::uint32_t appended = states()[sequence];
  if (!config.ring && tokens > config.max_keys - appended) return Status::cache_full;
  if (tokens > max_tokens - appended) return Status::too_large;
  Status status = detail::check_input(key, 1, config.kv_heads, tokens, config.head_dim);
  if (status != Status::ok) return status;
  status = detail::check_input(value, 1, config.kv_heads, tokens, config.value_dim);
  if (status != Status::ok || !config.key_scales_per_channel) return status;
  const float first_scale = key_scales_in(*plan_, memory_)[0];
  return first_scale != first_scale ? Status::bad_scale : Status::ok;
}

Status KvCache::append(std::uint32_t sequence, std::uint32_t tokens, ConstTensor key, ConstTensor value) noexcept {
  const Status status = check_append(sequence, tokens, key, value);
  if (status != Status::ok || tokens == 0) return status;
  const KvCacheConfig& config = plan_->config;
  if (config.key_scales_per_channel && !finite_keys(config, tokens, key)) return Status::not_finite;

  const std::uint32_t appended = states()[sequence];
  const std::uint32_t first_slot = detail::slot_of(config, appended);
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    const auto parts = detail::quantized_layout(*plan_, memory_, sequence, head);
    std::uint32_t slot = first_slot;
    for (std::uint32_t t = 0; t < tokens; ++t) {
      store_token(*plan_, parts, slot, key.row(0, head, t), value.row(0, head, t));
      slot = detail::next_slot(config, slot);
    }
  }
  states()[sequence] = appended + tokens;
  return Status::ok;
}

Status KvCache::truncate(std::uint32_t sequence, std::uint32_t length) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (sequence >= plan_->config.max_sequences) return Status::bad_sequence;
  const std::uint32_t appended = states()[sequence];
  if (length > appended) return Status::bad_length;
  if (length == appended) return Status::ok;
  if (appended > plan_->config.max_keys && length > plan_->config.sink_tokens) return Status::bad_length;
  states()[sequence] = length;
  return Status::ok;
}

}  // namespace heed
