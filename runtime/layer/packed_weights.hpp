// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/as_made.hpp"
#include "heed/multi_head_plan.hpp"

namespace heed::detail {

/// Where packed weights have what; the same for every cache.
struct WeightsLayout {
  const AttentionConfig& heads;
  const Region& header;
  const LinearPlan& query;
  const LinearPlan& key;
  const LinearPlan& value;
  const LinearPlan& output;
  std::uint32_t bytes;
};

template <class Cache>
[[nodiscard]] WeightsLayout weights_layout(const LayerPlan<Cache>& plan) noexcept {
  return {plan.attention.config, plan.weights_header, plan.query, plan.key, plan.value,
          plan.output,           plan.weights_bytes};
}

/// Whether the header of packed weights was written for this layout.
[[nodiscard]] bool header_matches(const WeightsLayout& layout, const std::byte* packed) noexcept;

/// The same, and whether the format reads them.
[[nodiscard]] bool weights_match(const WeightsLayout& layout, const PackedWeights& packed) noexcept;

/// pack_floats() or pack_rounded(): how one projection is written.
using PackLinear = void(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// split_packed() and pack_weights() for every plan.
[[nodiscard]] MultiHeadWeights split_packed(const WeightsLayout& layout, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;
[[nodiscard]] Status pack_weights(const WeightsLayout& layout, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed, PackLinear* pack) noexcept;

template <class Cache>
[[nodiscard]] Status pack_weights(const LayerPlan<Cache>& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed, PackLinear* pack) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  expect_as_made(plan);
  return pack_weights(weights_layout(plan), weights, packed, pack);
}

}  // namespace heed::detail
