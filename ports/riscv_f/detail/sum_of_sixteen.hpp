// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>

namespace heed::detail {

/// The sum of sixteen floats, folded as port::sum does it.
inline float sum_of_sixteen(const float* totals) noexcept {
  return port::sum(port::load(totals));
}

}  // namespace heed::detail
