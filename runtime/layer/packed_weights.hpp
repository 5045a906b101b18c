// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/as_made.hpp"
#include "heed/multi_head_plan.hpp"

namespace heed::detail {

/// What packed weights begin with: "HEED", the version of the packed layout, and every number that the layout depends
/// on.
struct WeightsHeader {
  std::uint32_t words[10];
};

template <class Cache>
[[nodiscard]] WeightsHeader weights_header(const LayerPlan<Cache>& plan) noexcept {
  const AttentionConfig& heads = plan.attention.config;
  return {{0x44454548U, 1, plan.query.inputs, heads.heads, heads.kv_heads, heads.head_dim, heads.value_dim,
           plan.key.inputs, plan.output.outputs, static_cast<std::uint32_t>(plan.query.type)}};
}

/// Whether packed weights begin with a header.
[[nodiscard]] bool header_matches(const WeightsHeader& header, const std::byte* packed) noexcept;

/// Where packed weights have what; the same for every cache.
struct WeightsLayout {
  const LinearPlan& query;
  const LinearPlan& key;
  const LinearPlan& value;
  const LinearPlan& output;
  std::uint32_t bytes;
};

template <class Cache>
[[nodiscard]] WeightsLayout weights_layout(const LayerPlan<Cache>& plan) noexcept {
  return {plan.query, plan.key, plan.value, plan.output, plan.weights_bytes};
}

/// pack_floats() or pack_rounded(): how one projection is written.
using PackLinear = void(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// split_packed() and pack_weights() for every plan.
[[nodiscard]] MultiHeadWeights split_packed(const WeightsLayout& layout, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;
[[nodiscard]] Status pack_weights(const WeightsLayout& layout, const WeightsHeader& header,
                                  const MultiHeadWeights& weights, std::span<std::byte> packed,
                                  PackLinear* pack) noexcept;

template <class Cache>
[[nodiscard]] Status pack_weights(const LayerPlan<Cache>& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed, PackLinear* pack) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  expect_as_made(plan);
  return pack_weights(weights_layout(plan), weights_header(plan), weights, packed, pack);
}

}  // namespace heed::detail
