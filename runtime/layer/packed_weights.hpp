// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/multi_head_plan.hpp"

namespace heed::detail {

/// Where packed weights have what; the same for every cache.
struct WeightsLayout {
  const AttentionConfig& heads;
  const Region& header;
  const ProjectionPlan& query;
  const ProjectionPlan& key;
  const ProjectionPlan& value;
  const ProjectionPlan& output;
  std::uint32_t bytes;
};

template <class Cache>
[[nodiscard]] WeightsLayout weights_layout(const LayerPlan<Cache>& plan) noexcept {
  return {plan.attention.config, plan.weights_header, plan.query, plan.key, plan.value,
          plan.output,           plan.weights_bytes};
}

/// Whether the header of packed weights was written for this layout.
[[nodiscard]] bool weights_match(const WeightsLayout& layout, const std::byte* packed) noexcept;

/// One projection, at its place in `packed`; a null bias is zeros.
void pack_projection(const ProjectionPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// split_packed() and pack_weights() for every plan.
[[nodiscard]] MultiHeadWeights split_packed(const WeightsLayout& layout, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;
[[nodiscard]] Status pack_weights(const WeightsLayout& layout, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed) noexcept;

}  // namespace heed::detail
