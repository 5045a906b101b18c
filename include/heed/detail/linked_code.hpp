// SPDX-License-Identifier: MIT
//
// Code that not every plan needs. The library refers to it weakly; a call that takes the address of one of these
// constants makes the linker include the code that is compiled beside it. The constant itself is never read. Where a
// plan is constexpr, the compiler sees which of them its calls need; for a plan made at run time they take all.
#pragma once

#include "heed/types.hpp"

namespace heed::detail {

struct LinkedCode {
  const LinkedCode* also = nullptr;  ///< what comes with it
};

/// Whether the compiler sees that it is so.
[[nodiscard, gnu::always_inline]] constexpr bool is_known(bool condition) noexcept {
  return __builtin_constant_p(condition) != 0 && condition;
}

extern const LinkedCode rotary_code;
extern const LinkedCode sinusoid_code;
extern const LinkedCode float_product_code;    ///< of weights that are float32
extern const LinkedCode integer_lane_code;     ///< of an embedding table whose weights are for rows of integers
extern const LinkedCode float_attention_code;  ///< over keys and values that are not multiplied in integers

}  // namespace heed::detail
