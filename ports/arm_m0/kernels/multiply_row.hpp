// SPDX-License-Identifier: MIT
//
// A row of floats times a number, which is taken apart once; in code for size each product is a call.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <single_operations.hpp>

#include "../detail/multiplied_numbers.hpp"

namespace heed::detail {

/// to = from * factor, `count` numbers each, the same or apart; calls finish(product) for those that are left to it.
template <class Finish>
[[gnu::always_inline]] inline void multiply_each(const float* from, std::uint32_t count, float factor, float* to,
                                                 const Finish& finish) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(factor);
  const float* const end = from + count;
  const std::ptrdiff_t to_results = reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from);
  const MultipliedNumbers numbers{end, to_results - static_cast<std::ptrdiff_t>(sizeof(float)),
                                  static_cast<std::int32_t>(bits >> 23) - 64, port::mantissa_of(bits) >> 16,
                                  bits & 255U};
  const bool in_range = !port::takes_support && bits - (64U << 23) < (125U << 23);
#pragma GCC unroll 1
  for (const float* x = from; x != end; ++x) {
    if (in_range) x = multiply_numbers(x, &numbers);
    if (x == end) break;
    to[x - from] = finish(port::product(*x, factor));
  }
}

inline void multiply_row(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  multiply_each(from, count, factor, to, [](float product) noexcept { return product; });
}

/// to = fma(from, factor, 0): the products, and 0 for those that are -0.
inline void multiply_row_unsigned_zeros(const float* from, std::uint32_t count, float factor, float* to) noexcept {
  multiply_each(from, count, factor, to, [](float product) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(product);
    return std::bit_cast<float>(bits == port::sign_bit ? 0 : bits);
  });
}

}  // namespace heed::detail
