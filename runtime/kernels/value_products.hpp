// SPDX-License-Identifier: MIT
//
// Weights times the values of all keys that some rows see, where a port takes all of it at once.
#pragma once

#include <cstddef>

#include "common/integer_product.hpp"

namespace heed::detail {

/// All results: float(sum) * scale of the row. Whether that has been done.
[[nodiscard]] inline bool multiply_weights(const ValueProduct& /*product*/) noexcept {
  return false;
}

/// The same from weights that have not been rounded: p of row r is `p` + r * p_row, and the greatest of them
/// greatest[r], or NaN; they are rounded to `rounded`, which is product.weights.
[[nodiscard]] constexpr bool round_and_multiply_weights(const ValueProduct& /*product*/, const float* /*p*/,
                                                        std::ptrdiff_t /*p_row*/, const float* /*greatest*/,
                                                        std::byte* /*rounded*/) noexcept {
  return false;
}

}  // namespace heed::detail
