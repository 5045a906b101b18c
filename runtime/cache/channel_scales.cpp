// SPDX-License-Identifier: MIT
#include "cache/channel_scales.hpp"

#include <bit>
#include <kernels/finite.hpp>
#include <limits>
#include <span>

#include "cache/cache_parts.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "format/quantize.hpp"

namespace heed {
namespace {

/// What a scale of a channel is stored as.
[[nodiscard]] float stored_scale(float scale) noexcept {
  return detail::round_up_to_short(scale, 8);
}

/// Whether 127 times a scale that is not negative, rounded up, is finite.
[[nodiscard]] bool is_scale(float scale) noexcept {
  return detail::is_finite(scale) && detail::is_finite(127.0F * stored_scale(scale));
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

void clear(const KvCachePlan& plan, std::byte* memory) noexcept {
  for (float& scale : key_scales_in(plan, memory)) scale = std::numeric_limits<float>::quiet_NaN();
}

bool are_set(const KvCachePlan& plan, const std::byte* memory) noexcept {
  const float first = *reinterpret_cast<const float*>(memory + plan.key_scales.offset);
  return first == first;
}

bool are_finite(const KvCacheConfig& config, std::uint32_t tokens, const ConstTensor& key) noexcept {
  for (std::uint32_t head = 0; head < config.kv_heads; ++head) {
    if (!detail::all_finite(key.row(0, head, 0), detail::used_stride(tokens, key.row_stride), tokens, config.head_dim))
      return false;
  }
  return true;
}

Status takes_keys(const detail::Sequences& sequences, detail::CacheUpdate update, const void* call,
                  const float* (*project)(const void*, const detail::LayerRows&) noexcept) noexcept {
  const MultiHeadPlan& plan = sequences.plan;
  const MultiHeadInputs& inputs = sequences.inputs;
  if (!are_set(plan.cache, sequences.cache.memory())) return Status::bad_scale;
  const bool appends = update == detail::CacheUpdate::append;
  if (appends && sequences.entries == 1 && inputs.tokens <= plan.token_rows && inputs.page_table == nullptr &&
      sequences.appended_at_once(sequences.tokens(0), inputs.tokens) == inputs.tokens) {
    return Status::ok;
  }
  const auto width = static_cast<std::ptrdiff_t>(plan.key.outputs);
  for (std::uint32_t b = 0; b < sequences.entries; ++b) {
    const std::uint32_t number = appends ? sequences.tokens(b) : 0;
    for (std::uint32_t first = 0; first < inputs.tokens; first += plan.token_rows) {
      const std::uint32_t count = detail::least(inputs.tokens - first, plan.token_rows);
      const float* const keys = project(call, {inputs, b, number, inputs.tokens, first, count, false});
      if (!detail::all_finite(keys, width, count, plan.key.outputs)) return Status::not_finite;
    }
  }
  return Status::ok;
}

}  // namespace

constexpr detail::ChannelScales detail::channel_scales = {clear, are_set, are_finite, takes_keys};

bool detail::may_be_channel_scales(const KvCachePlan& plan, std::byte* memory) noexcept {
  const std::span<const float> scales = key_scales_in(plan, memory);
  return all_nan(scales) || are_stored_scales(scales);
}

Status KvCache::set_key_scales(std::span<const float> scales) noexcept {
  if (!initialised()) return Status::not_initialised;
  if (plan_->config.key_type != DataType::int8_channels) return Status::plan_mismatch;
  for (std::uint32_t sequence = 0; sequence < plan_->config.max_sequences; ++sequence) {
    if (detail::tokens_of(*this, sequence) != 0) return Status::not_empty;
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

}  // namespace heed
