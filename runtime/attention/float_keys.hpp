// SPDX-License-Identifier: MIT
//
// Keys and values that are floats, in tensors or in a FloatKvCache. The products take keys and values through these few
// functions alone, and so from any other source that has them (kv_cache/kv_cache_keys.hpp); `first` is a key's number
// in its batch entry.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "gemm/multiply.hpp"
#include "heed/detail/layout.hpp"

namespace heed::detail {

/// Keys of a batch entry that can be scored, visible or not.
[[nodiscard]] std::uint32_t key_count(const AttentionInputs& inputs, std::uint32_t batch) noexcept;

/// Float rows, one after the other at a stride.
struct FloatRows {
  const float* first;
  std::ptrdiff_t stride;
};

/// Where the keys and values of one batch entry and one key head lie, as floats in tensors or in a cache.
struct FloatPlaces {
  const float* keys = nullptr;  ///< rows [count, head_dim], or panels [count / 16, head_dim, 16]
  bool in_panels;
  std::ptrdiff_t key_row = 0;     ///< stride of the rows
  const float* values = nullptr;  ///< rows [count, value_dim]
  std::ptrdiff_t value_row = 0;   ///< stride of the rows
  std::uint32_t count;            ///< keys that are there to be scored
  std::uint32_t length;           ///< keys that a query may see, at most `count`

  FloatPlaces(const AttentionRun& run, std::uint32_t batch, std::uint32_t kv_head) noexcept;

  /// Panels [panels, head_dim, 16] of the keys from `first` on, a multiple of 16: the cache's own, or made of rows.
  [[nodiscard]] const float* panels(const AttentionPlan& plan, std::uint32_t first, std::uint32_t wanted,
                                    float* staged) const noexcept;

  /// Keys as rows; only if they are not in panels.
  [[nodiscard]] FloatRows key_rows(std::uint32_t first) const noexcept {
    return {keys + static_cast<std::ptrdiff_t>(first) * key_row, key_row};
  }
};

inline namespace heed_own_code {

/// Keys and values from there.
struct FloatKeys : FloatPlaces {
  using FloatPlaces::FloatPlaces;

  static constexpr bool may_be_rows = true;

  /// How many of `wanted` keys, a multiple of 16, a product of so many rows can have at a time; likewise for values.
  [[nodiscard]] std::uint32_t panels_at_once(const AttentionPlan& plan, std::uint32_t /*rows*/, std::uint32_t /*first*/,
                                             std::uint32_t wanted) const noexcept {
    return in_panels || wanted < plan.staged_keys ? wanted : plan.staged_keys;
  }
  [[nodiscard]] static std::uint32_t values_at_once(const AttentionPlan& /*plan*/, std::uint32_t /*rows*/,
                                                    std::uint32_t /*first*/, std::uint32_t wanted) noexcept {
    return wanted;
  }

  /// The product whose B is product.columns keys from `first` on, in panels.
  void multiply_keys(const AttentionPlan& plan, std::uint32_t first, float* staged, Gemm product) const noexcept {
    product.b = panels(plan, first, product.columns, staged);
    multiply(product);
  }

  /// The product whose B is product.depth values from `first` on.
  void multiply_values(const AttentionPlan& /*plan*/, std::uint32_t first, float* /*staged*/,
                       Gemm product) const noexcept {
    product.b = values + static_cast<std::ptrdiff_t>(first) * value_row;
    product.b_step = value_row;
    multiply(product);
  }
};

}  // namespace heed_own_code

}  // namespace heed::detail
