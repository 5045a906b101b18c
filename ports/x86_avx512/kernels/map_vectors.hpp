// SPDX-License-Identifier: MIT
//
// A function of a number over whole vectors, with a factor for each result. SiLU and GELU in integers take four vectors
// at a time, a step after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sigmoid.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// What names itself so is max(x, lowest) * s with an s of integer_sigmoid.hpp.
template <class Function>
concept IsIntegerActivation = requires {
  Function::is_integer_gelu;
};

/// map_vectors() of `count` vectors.
template <class Function, int count>
[[gnu::always_inline]] inline void activate_vectors(const float* from, const float* factors, std::ptrdiff_t factor_step,
                                                    float* to) noexcept {
  using namespace port;
  f32x16 shares[count];
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) shares[i] = load(from + std::ptrdiff_t{i} * lanes);
  if constexpr (Function::is_integer_gelu) {
    integer_gaussians(shares);
  } else {
    integer_sigmoids(shares);
  }
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) {
    const f32x16 x = max(set(lowest), load(from + std::ptrdiff_t{i} * lanes));
    store(to + std::ptrdiff_t{i} * lanes, mul(mul(x, shares[i]), load(factors + i * factor_step)));
  }
}

/// map_scaled() of whole vectors. Out of line, because that is long for what the last numbers of a row take.
template <class Function>
[[gnu::noinline]] void map_vectors(const float* from, const float* factors, std::ptrdiff_t factor_step,
                                   std::uint32_t count, float* to) noexcept {
  using namespace port;
  std::uint32_t i = 0;
  if constexpr (IsIntegerActivation<Function>) {
    constexpr int at_once = 4;
    for (; count - i >= at_once * lanes; i += at_once * lanes, factors += at_once * factor_step) {
      activate_vectors<Function, at_once>(from + i, factors, factor_step, to + i);
    }
  }
  for (; i < count; i += lanes, factors += factor_step) {
    store(to + i, mul(Function{}(load(from + i)), load(factors)));
  }
}

}  // namespace heed::detail
