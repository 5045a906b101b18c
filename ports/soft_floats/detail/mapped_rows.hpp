// SPDX-License-Identifier: MIT
//
// A function over a row, number by number; activations in integers take the row at once: for a port that has
// silu_numbers() and gelu_numbers().
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/activated_rows.hpp>
#include <kernels/integer_sigmoid.hpp>
#include <port.hpp>
#include <single_floats/kernels/map.hpp>

namespace heed::detail {
inline namespace heed_own_code {

/// to = Function{}(from) * factors, or Function{}(from) where those are null, of an activation in integers.
template <class Function>
requires requires {
  Function::is_integer_gelu;
}
[[gnu::noinline]] void map_scaled(const float* from, const float* factors, std::uint32_t count, float* to) noexcept {
  // Times 1, every number stays what it is.
  static constexpr float one = 1.0F;
  const std::ptrdiff_t step = factors != nullptr ? 1 : 0;
  if (factors == nullptr) factors = &one;
  const ActivatedRow row{from + count, static_cast<std::uint32_t>(step) * 4};
  for (; from != row.end; ++from, factors += step, ++to) {
    const float* const first = from;
    from = (Function::is_integer_gelu ? gelu_numbers : silu_numbers)(from, factors, to, &row);
    factors += (from - first) * step;
    to += from - first;
    if (from == row.end) break;
    *to = port::product(Function{}(port::Single{*from}).value, *factors);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
