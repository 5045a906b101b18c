// SPDX-License-Identifier: MIT
//
// A function over a row, number by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_operations.hpp>

#include "../detail/single.hpp"

namespace heed::detail {

/// to = f(from).
template <class Function>
[[gnu::always_inline]] inline void map_row(const float* from, std::uint32_t count, float* to,
                                           const Function& f) noexcept {
  constexpr std::uint32_t at_once = port::unrolled;
  for (; count >= at_once; count -= at_once, from += at_once, to += at_once) {
#pragma GCC unroll port::unrolled
    for (std::uint32_t i = 0; i < at_once; ++i) to[i] = f(port::Single{from[i]}).value;
  }
#pragma GCC unroll 1
  for (; count != 0; --count) *to++ = f(port::Single{*from++}).value;
}

/// to = Function{}(from) * factors, or Function{}(from) where those are null.
template <class Function>
[[gnu::noinline]] void map_scaled(const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  // Times 1, every number stays what it is.
  static constexpr float one = 1.0F;
  const std::ptrdiff_t factor_step = factors != nullptr ? 1 : 0;
  if (factors == nullptr) factors = &one;
#pragma GCC unroll 1
  for (std::uint32_t i = 0; i < count; ++i, factors += factor_step) {
    const float value = Function{}(port::Single{from[i]}).value;
    to[i] = port::has_float_unit || factor_step != 0 ? port::product(value, *factors) : value;
  }
}

}  // namespace heed::detail
