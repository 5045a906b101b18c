// SPDX-License-Identifier: MIT
//
// A function over a row, number by number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_sigmoid.hpp>
#include <long_products/top_products.hpp>
#include <port.hpp>
#include <single_floats/detail/single.hpp>

namespace heed::detail {

/// to = f(from).
template <class Function>
[[gnu::always_inline]] inline void map_row(const float* from, std::uint32_t count, float* to,
                                           const Function& f) noexcept {
#pragma GCC unroll 1
  for (; count != 0; --count) *to++ = f(port::Single{*from++}).value;
}

/// A number, and what a function of it is multiplied by, which scaled() does in one go: functions that have
/// `is_integer_gelu` are x times a share.
struct FactoredNumber {
  float value;
  float factor;
};

[[gnu::always_inline]] inline port::Share integer_sigmoid(FactoredNumber x) noexcept {
  return integer_sigmoid(port::Single{x.value});
}
[[gnu::always_inline]] inline port::Share integer_gaussian(FactoredNumber x) noexcept {
  return integer_gaussian(port::Single{x.value});
}
[[nodiscard, gnu::noinline]] inline float product_of_three(float x, port::Share share, float factor) noexcept {
  return port::product(port::scaled(port::Single{x}, share).value, factor);
}
[[gnu::always_inline]] inline FactoredNumber scaled(FactoredNumber x, port::Share share) noexcept {
  FactoredNumber result;
  if (!port::multiply_share<port::integer_unit, 13>(x.value, share.number, x.factor, result.value)) {
    result.value = product_of_three(x.value, share, x.factor);
  }
  return result;
}

/// Function{}(x) * factor.
template <class Function>
[[gnu::always_inline]] inline float scaled_result(float x, float factor) noexcept {
  if constexpr (requires { Function::is_integer_gelu; }) {
    return Function{}(FactoredNumber{x, factor}).value;
  } else {
    return port::product(Function{}(port::Single{x}).value, factor);
  }
}

/// to = Function{}(from) * factors, or Function{}(from) where those are null.
template <class Function>
[[gnu::noinline]] void map_scaled(const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  if (factors == nullptr) {
    map_row(from, count, to, Function{});
    return;
  }
#pragma GCC unroll 1
  for (const float* const end = from + count; from != end; ++from, ++factors, ++to) {
    *to = scaled_result<Function>(*from, *factors);
  }
}

}  // namespace heed::detail
