// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/validation.hpp"
#include "heed/layer.hpp"

namespace heed::detail {

/// What packed weights begin with: "HEED", the version of the packed layout, and every number that the layout depends
/// on.
struct WeightsHeader {
  std::uint32_t words[10];
};

[[nodiscard]] inline WeightsHeader weights_header(const MultiHeadPlan& plan) noexcept {
  const AttentionConfig& heads = plan.attention.config;
  return {{0x44454548U, 1, plan.query.inputs, heads.heads, heads.kv_heads, heads.head_dim, heads.value_dim,
           plan.key.inputs, plan.output.outputs, plan.products | (plan.query.row_bytes == 0 ? 0 : by_integer_rows)}};
}

/// Whether packed weights begin with a header.
[[nodiscard]] bool header_matches(const WeightsHeader& header, const std::byte* packed) noexcept;

/// The 64 bytes that packed weights begin with.
void write_weights_header(const MultiHeadPlan& plan, std::byte* packed) noexcept;

/// pack_floats() or pack_rounded(): how one projection is written.
using PackLinear = void(const LinearPlan& plan, const float* weight, const float* bias, std::byte* packed) noexcept;

/// What pack_weights() refuses whatever the type is.
[[nodiscard]] Status check_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                   std::span<const std::byte> packed) noexcept;

/// Whether one of the four matrices would be lost.
[[nodiscard]] bool is_lost(const MultiHeadPlan& plan, const MultiHeadWeights& weights) noexcept;

/// After the checks.
void write_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights, std::byte* packed,
                   PackLinear* pack) noexcept;

}  // namespace heed::detail
