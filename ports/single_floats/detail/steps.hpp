// SPDX-License-Identifier: MIT
//
// What the steps of a product are told by the tiles on single floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// Where sums start from and where they go: rows of sixteen floats.
struct SumRows {
  const float* start;
  std::ptrdiff_t start_row;
  float* end;
  std::ptrdiff_t end_row;
};

/// Factors of A, `a_row` and `a_step` floats apart, and rows of B, `b_step` floats apart, for `count` steps.
struct Steps {
  const float* a;
  std::ptrdiff_t a_row;
  std::ptrdiff_t a_step;
  const float* b;
  std::ptrdiff_t b_step;
  std::uint32_t count;

  [[nodiscard]] constexpr Steps after(std::uint32_t steps) const noexcept {
    const auto done = static_cast<std::ptrdiff_t>(steps);
    return {a + done * a_step, a_row, a_step, b + done * b_step, b_step, count - steps};
  }

  constexpr void skip(std::uint32_t steps) noexcept { *this = after(steps); }
};

/// Factors of A and steps of B, side by side, for `count` steps: more than none. B begins with the byte of the first of
/// eight lanes.
struct QuantizedSteps {
  const float* a;
  const void* b;
  std::uint32_t count;
};

/// Where the sums of panels start from, `start_panel` floats apart, and where they go, sixteen apart.
struct PanelSums {
  const float* start;
  std::ptrdiff_t start_panel;
  float* end;
  std::uint32_t panels;
};

}  // namespace heed::detail
