// SPDX-License-Identifier: MIT
//
// Products with rows of integers, once for every format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>
#include <kernels/rounded_pairs.hpp>
#include <kernels/row_magnitude.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "heed/linear.hpp"
#include "product/linear.hpp"

namespace heed::detail {

void integer_linear(const Format& format, const LinearShare& share) noexcept;

/// A share, whose weights and scales begin at these addresses, as one product of all its rows and panels.
[[nodiscard, gnu::always_inline]] inline MatrixProduct whole_matrix(const LinearShare& share, std::uint32_t inputs,
                                                                    const std::byte* weights,
                                                                    const std::byte* scales) noexcept {
  const LinearPlan& plan = share.plan;
  const std::uint32_t first = share.first * panel_width;
  const std::uint32_t last = share.end * panel_width < plan.outputs ? share.end * panel_width : plan.outputs;
  const auto* const bias = reinterpret_cast<const float*>(share.packed + plan.bias.offset);
  return {.weights = weights,
          .scales = reinterpret_cast<const float*>(scales),
          .bias = plan.bias.bytes != 0 ? bias + first : nullptr,
          .rows = reinterpret_cast<const std::byte*>(share.staging),
          .row_bytes = plan.row_bytes,
          .count = share.rows,
          .inputs = inputs,
          .outputs = last - first,
          .y = share.y.data + first,
          .y_row = share.y.stride};
}

/// store_row() for a type of weights and one of rows.
using StoreRow = void(const float* x, float factor, std::uint32_t inputs, std::byte* row) noexcept;

/// The scale of a row whose greatest magnitude is given: 0 for one of zeros or little more, NaN for NaN.
[[nodiscard]] float rounded_scale(float greatest, float most) noexcept;

/// The scale that a rounded row begins with.
[[nodiscard]] inline float scale_of(const std::byte* row) noexcept {
  return *reinterpret_cast<const float*>(row);
}

/// Rounds a row to row_bytes, with its own greatest magnitude or with a given one.
void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes, std::byte* row,
               float greatest) noexcept;
inline void round_row(StoreRow* stage, float most, const float* x, std::uint32_t inputs, std::size_t row_bytes,
                      std::byte* row) noexcept {
  round_row(stage, most, x, inputs, row_bytes, row, row_magnitude(x, inputs));
}

/// Rounds rows [rows, plan.inputs], `stride` apart, to plan.row_bytes each.
void round_rows(StoreRow* stage, float most, const LinearPlan& plan, const float* x, std::ptrdiff_t stride,
                std::uint32_t rows, std::byte* to) noexcept;

/// What a row is multiplied by, before it is rounded, on a port that has float instructions; 0 where it becomes zeros.
[[nodiscard]] inline float rounding_factor(float greatest, float most) noexcept {
  return greatest >= 0x1p-100F ? most / greatest : 0.0F;
}

/// Rounds and joins rows [count, inputs], `stride` apart, two at a time, to row_bytes each; returns how many of them:
/// none where the port has no kernel for it.
template <DataType rows>
[[nodiscard]] std::uint32_t round_row_pairs([[maybe_unused]] const float* x, [[maybe_unused]] std::ptrdiff_t stride,
                                            [[maybe_unused]] std::uint32_t count, [[maybe_unused]] std::uint32_t inputs,
                                            [[maybe_unused]] std::size_t row_bytes,
                                            [[maybe_unused]] std::byte* to) noexcept {
  std::uint32_t done = 0;
  if constexpr (rounds_row_pairs<rows>) {
    constexpr float most = most_of_rows<rows>;
    for (; count - done >= 2; done += 2, x += 2 * stride, to += 2 * row_bytes) {
      const float* const pair[2] = {x, x + stride};
      float factors[2];
      for (int i = 0; i < 2; ++i) {
        const float greatest = row_magnitude(pair[i], inputs);
        *reinterpret_cast<float*>(i == 0 ? to : to + row_bytes) = rounded_scale(greatest, most);
        factors[i] = rounding_factor(greatest, most);
      }
      store_row_pair<rows>(pair, factors, inputs, to);
    }
  }
  return done;
}

}  // namespace heed::detail
