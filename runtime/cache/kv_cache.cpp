// SPDX-License-Identifier: MIT
#include "cache/cache_parts.hpp"
#include "cache/channel_scales.hpp"
#include "cache/key_readers.hpp"
#include "cache/ring.hpp"
#include "cache/store_token.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/cache.hpp"

namespace heed {

bool detail::is_named(const KvCacheConfig& config, const KvStorage& storage) noexcept {
  return (config.key_type == DataType::float32 || storing_format(storage, config.key_type) != nullptr) &&
         (config.value_type == DataType::float32 || storing_format(storage, config.value_type) != nullptr) &&
         (config.ring == 0 || storage.ring != nullptr);
}

namespace {

[[nodiscard]] Status check_place(const KvCachePlan& plan, std::span<const std::byte> memory,
                                 const KvStorage& storage) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  detail::assert_plan_unchanged(plan);
  const Status status = detail::check_memory(memory, plan.bytes);
  if (status != Status::ok) return status;
  return detail::is_named(plan.config, storage) ? Status::ok : Status::missing_format;
}

}  // namespace

Status KvCache::bind(const KvCachePlan& plan, std::span<std::byte> memory, const KvStorage& storage) noexcept {
  const Status status = check_place(plan, memory, storage);
  if (status != Status::ok) return status;
  const KvCacheConfig& config = plan.config;
  const std::uint32_t* states = detail::states_in(plan, memory.data());
  const std::uint32_t most_tokens = config.ring != 0 ? max_tokens : config.max_keys;
  for (std::uint32_t sequence = 0; sequence < config.max_sequences; ++sequence) {
    if (states[sequence] > most_tokens) return Status::bad_state;
  }
  KvCache bound;
  bound.place(plan, memory.data(), storage);
  // Of types whose scales may not be any, keys have them, or keys and values.
  const Format* const format = bound.key_format_;
  if (format != nullptr && format->may_be != nullptr && !format->may_be(plan, memory.data())) return Status::bad_state;
  *this = bound;
  return Status::ok;
}

Status KvCache::init(const KvCachePlan& plan, std::span<std::byte> memory, const KvStorage& storage) noexcept {
  const Status status = check_place(plan, memory, storage);
  if (status != Status::ok) return status;
  place(plan, memory.data(), storage);
  clear();
  return Status::ok;
}

void KvCache::clear() noexcept {
  for (std::uint32_t sequence = 0; sequence < plan_->config.max_sequences; ++sequence) {
    detail::tokens_of(*this, sequence) = 0;
  }
  const detail::ChannelScales* const scales = detail::channel_scales_of(*this);
  if (scales != nullptr) scales->clear(*plan_, memory_);
}

void KvCache::place(const KvCachePlan& plan, std::byte* memory, const KvStorage& storage) noexcept {
  plan_ = &plan;
  memory_ = memory;
  reader_ = &detail::cache_reader;
  key_format_ = detail::storing_format(storage, plan.config.key_type);
  value_format_ = detail::storing_format(storage, plan.config.value_type);
  ring_ = plan.config.ring != 0 ? storage.ring : nullptr;
  pages_ = storage.pages;
}

std::uint32_t KvCache::tokens(std::uint32_t sequence) const noexcept {
  return memory_ != nullptr && sequence < plan_->config.max_sequences ? detail::tokens_of(*this, sequence) : 0;
}

std::uint32_t KvCache::length(std::uint32_t sequence) const noexcept {
  const std::uint32_t appended = tokens(sequence);
  return appended == 0 || appended < plan_->config.max_keys ? appended : plan_->config.max_keys;
}

std::uint32_t KvCache::position(std::uint32_t sequence, std::uint32_t slot) const noexcept {
  const std::uint32_t appended = detail::tokens_of(*this, sequence);
  return appended <= plan_->config.max_keys ? slot : ring_->position(plan_->config, appended, slot);
}

Status KvCache::append(std::uint32_t sequence, std::uint32_t tokens, const ConstTensor& key,
                       const ConstTensor& value) noexcept {
  const Status status = detail::check_append(*this, sequence, tokens, key, value);
  return status != Status::ok || tokens == 0 ? status : detail::append_tokens(*this, sequence, tokens, key, value);
}

Status KvCache::truncate(std::uint32_t sequence, std::uint32_t length) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (sequence >= plan_->config.max_sequences) return Status::bad_sequence;
  const std::uint32_t appended = detail::tokens_of(*this, sequence);
  if (length > appended) return Status::bad_length;
  if (length == appended) return Status::ok;
  if (appended > plan_->config.max_keys && length > plan_->config.sink_tokens) return Status::bad_length;
  detail::tokens_of(*this, sequence) = length;
  return Status::ok;
}

}  // namespace heed
