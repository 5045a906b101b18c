// SPDX-License-Identifier: MIT
#pragma once

#include <detail/exp2_above_floor.hpp>
#include <detail/exp2_of_differences.hpp>
#include <port.hpp>
#include <single_floats/detail/single.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {
inline namespace heed_own_code {

[[gnu::always_inline]] inline port::Single exp2_nonpositive(port::Single x) noexcept {
  return {exp2_above_floor(max(port::Single{exp2_floor}, x).value)};
}

[[gnu::noinline]] inline void exp2_of_sixteen(float* x) noexcept {
  exp2_of_differences(x, 1, 16, 0.0F);
}

inline port::f32x16 exp2_nonpositive(const port::f32x16& x) noexcept {
  port::f32x16 result = x;
  exp2_of_sixteen(result.lane);
  return result;
}

}  // namespace heed_own_code
}  // namespace heed::detail
