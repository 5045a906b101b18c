// SPDX-License-Identifier: MIT
#include "heed/kv_cache.hpp"

#include <kernels/finite.hpp>
#include <limits>

#include "common/validation.hpp"
#include "kv_cache/quantize.hpp"
#include "kv_cache/quantized_layout.hpp"

namespace heed {
namespace {

/// Whether no key is infinite or NaN: key [1, kv_heads, tokens, head_dim].
[[nodiscard]] bool finite_keys(const KvCacheConfig& config, std::uint32_t tokens, ConstTensor key) noexcept {
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    if (!detail::all_finite(key.row(0, head, 0), key.row_stride, tokens, config.head_dim)) return false;
  }
  return true;
}

/// Slot of the token behind one in `slot`. A ring comes back to its first slot that is not kept; others are full then.
[[nodiscard]] std::uint32_t next_slot(const KvCacheConfig& config, std::uint32_t slot) noexcept {
  return slot + 1 < config.max_keys ? slot + 1 : config.sink_tokens;
}

/// Stores one token of one head in a slot.
void store_token(const KvCachePlan& plan, const detail::QuantizedLayout<std::byte>& parts, std::uint32_t slot,
                 const float* key, const float* value) noexcept {
  const KvCacheConfig& config = plan.config;
  const std::size_t panel = slot / panel_width;
  const std::size_t lane = slot % panel_width;
  const detail::QuantizedRow keys{parts.keys + panel * plan.key_panel_bytes, lane, panel_width};
  if (config.key_scales_per_channel) {
    detail::store_row_by_channel(key, reinterpret_cast<const float*>(parts.key_scales), config.head_dim, keys);
  } else {
    const detail::QuantizedRow scales{parts.key_scales + panel * plan.key_scale_bytes, lane, panel_width};
    detail::store_row(config.key_type, key, config.head_dim, config.head_dim, keys, scales);
  }
  const detail::QuantizedRow values{parts.values + std::size_t{slot} * plan.value_row_bytes, 0, 1};
  const detail::QuantizedRow scales{parts.value_scales + std::size_t{slot} * plan.value_scale_bytes, 0, 1};
  detail::store_row(config.value_type, value, config.value_dim, plan.value_width, values, scales);
}

}  // namespace

Status KvCache::bind(const KvCachePlan& plan, std::span<std::byte> memory) noexcept {
  if (plan.bytes == 0) return Status::not_initialised;
  const Status status = detail::check_memory(memory, plan.bytes);
  if (status != Status::ok) return status;
  plan_ = plan;
  memory_ = memory.data();
  return Status::ok;
}

Status KvCache::init(const KvCachePlan& plan, std::span<std::byte> memory) noexcept {
  const Status status = bind(plan, memory);
  if (status != Status::ok) return status;
  for (std::uint32_t sequence = 0; sequence < plan_.config.max_sequences; ++sequence) {
    state(sequence)[0] = 0;
    state(sequence)[1] = 0;
  }
  if (!plan_.config.key_scales_per_channel) return Status::ok;
  // NaN says that the scales are not set.
  auto* scales = reinterpret_cast<float*>(memory_ + plan_.key_scales.offset);
  const std::size_t count = std::size_t{plan_.config.kv_heads} * plan_.config.head_dim;
  for (std::size_t c = 0; c < count; ++c) scales[c] = std::numeric_limits<float>::quiet_NaN();
  return Status::ok;
}

/// Tokens so far, and the slot of the next one.
std::uint32_t* KvCache::state(std::uint32_t sequence) const noexcept {
  return reinterpret_cast<std::uint32_t*>(memory_ + plan_.states.offset) + std::size_t{sequence} * 2;
}

std::uint32_t KvCache::tokens(std::uint32_t sequence) const noexcept {
  return memory_ != nullptr && sequence < plan_.config.max_sequences ? state(sequence)[0] : 0;
}

std::uint32_t KvCache::length(std::uint32_t sequence) const noexcept {
  const std::uint32_t appended = tokens(sequence);
  return appended < plan_.config.max_keys ? appended : plan_.config.max_keys;
}

std::uint32_t KvCache::position(std::uint32_t sequence, std::uint32_t slot) const noexcept {
  const std::uint32_t appended = state(sequence)[0];
  if (appended <= plan_.config.max_keys || slot < plan_.config.sink_tokens) return slot;
  // Behind the newest token the ring goes on with the oldest one.
  const std::uint32_t next = state(sequence)[1];
  const std::uint32_t newest = next == plan_.config.sink_tokens ? plan_.config.max_keys - 1 : next - 1;
  const std::uint32_t ring = plan_.config.max_keys - plan_.config.sink_tokens;
  const std::uint32_t steps_back = slot <= newest ? newest - slot : newest + ring - slot;
  return appended - 1 - steps_back;
}

Status KvCache::set_key_scales(std::span<const float> scales) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (!plan_.config.key_scales_per_channel) return Status::bad_option;
  for (std::uint32_t sequence = 0; sequence < plan_.config.max_sequences; ++sequence) {
    if (state(sequence)[0] != 0) return Status::bad_option;
  }
  if (scales.data() == nullptr) return Status::null_pointer;
  const std::size_t count = std::size_t{plan_.config.kv_heads} * plan_.config.head_dim;
  if (scales.size() != count) return Status::bad_length;
  for (const float scale : scales) {
    if (!(scale >= 0.0F) || !detail::is_finite(scale)) return Status::bad_scale;
    if (!detail::is_finite(127.0F * detail::round_up_to_short(scale, 8))) return Status::bad_scale;
  }
  auto* to = reinterpret_cast<float*>(memory_ + plan_.key_scales.offset);
  // A zero may come with a sign, which the bits of the others do not have.
  for (std::size_t c = 0; c < count; ++c) to[c] = scales[c] > 0.0F ? detail::round_up_to_short(scales[c], 8) : 0.0F;
  return Status::ok;
}

Status KvCache::append(std::uint32_t sequence, std::uint32_t tokens, ConstTensor key, ConstTensor value) noexcept {
  if (!initialised()) return Status::not_initialised;
  const KvCacheConfig& config = plan_.config;
  if (sequence >= config.max_sequences) return Status::bad_sequence;
  if (tokens == 0) return Status::ok;
  const std::uint32_t appended = state(sequence)[0];
  if (!config.ring && tokens > config.max_keys - appended) return Status::cache_full;
  if (tokens > max_tokens - appended) return Status::too_large;
  Status status = detail::check_input(key, 1, config.kv_heads, tokens, config.head_dim);
  if (status != Status::ok) return status;
  status = detail::check_input(value, 1, config.kv_heads, tokens, config.value_dim);
  if (status != Status::ok) return status;
  if (config.key_scales_per_channel) {
    const float first_scale = *reinterpret_cast<const float*>(memory_ + plan_.key_scales.offset);
    if (first_scale != first_scale) return Status::bad_scale;
    if (!finite_keys(config, tokens, key)) return Status::bad_option;
  }

  std::uint32_t slot = 0;
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    const auto parts = detail::quantized_layout(plan_, memory_, sequence, head);
    slot = state(sequence)[1];
    for (std::uint32_t t = 0; t < tokens; ++t) {
      store_token(plan_, parts, slot, key.row(0, head, t), value.row(0, head, t));
      slot = next_slot(config, slot);
    }
  }
  state(sequence)[0] = appended + tokens;
  state(sequence)[1] = slot;
  return Status::ok;
}

Status KvCache::truncate(std::uint32_t sequence, std::uint32_t length) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (sequence >= plan_.config.max_sequences) return Status::bad_sequence;
  const std::uint32_t appended = state(sequence)[0];
  if (length > appended) return Status::bad_length;
  if (length == appended) return Status::ok;
  if (appended > plan_.config.max_keys && length > plan_.config.sink_tokens) return Status::bad_length;
  state(sequence)[0] = length;
  state(sequence)[1] = length;  // below max_keys, where the slot is the token's number
  return Status::ok;
}

}  // namespace heed
