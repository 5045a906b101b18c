// SPDX-License-Identifier: MIT
#pragma once

#include <port.hpp>
#include <riscv_f/detail/exp2_by_floats.hpp>

#include "exp2_in_integers.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// 2^x of one number that is exp2_floor at least, or NaN.
[[gnu::noinline]] inline float exp2_above_floor(float x) noexcept {
  if constexpr (!port::takes_support) {
    if (has_exp2_in_integers(x)) return exp2_in_integers<port::integer_unit>(x);
  }
  return exp2_by_floats(x);
}

}  // namespace heed_own_code
}  // namespace heed::detail
