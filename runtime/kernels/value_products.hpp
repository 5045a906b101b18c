// SPDX-License-Identifier: MIT
//
// Weights times the values of all keys that some rows see, where a port takes all of it at once.
#pragma once

#include "common/integer_product.hpp"

namespace heed::detail {

/// All results: float(sum) * scale of the row. Whether that has been done.
[[nodiscard]] inline bool multiply_weights(const ValueProduct& /*product*/) noexcept {
  return false;
}

}  // namespace heed::detail
