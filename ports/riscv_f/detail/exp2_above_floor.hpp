// SPDX-License-Identifier: MIT
#pragma once

#include "exp2_by_floats.hpp"

namespace heed::detail {
inline namespace heed_own_code {

[[gnu::always_inline]] inline float exp2_above_floor(float x) noexcept {
  return exp2_by_floats(x);
}

}  // namespace heed_own_code
}  // namespace heed::detail
