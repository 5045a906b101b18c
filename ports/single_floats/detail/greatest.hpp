// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <detail/maximum_of_rest.hpp>
#include <port.hpp>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// The greatest of `count` floats, at least one and `stride` floats apart, and of `lowest`. Their bits are compared,
/// because that takes no instruction or status of the floating-point unit: as unsigned numbers, negative floats lie
/// above the others and fall as the floats grow; as signed numbers, floats that are not negative grow as they should.
[[gnu::always_inline]] inline float greatest_of(const float* first, std::ptrdiff_t stride,
                                                std::uint32_t count) noexcept {
  const float* const end = first + static_cast<std::ptrdiff_t>(count) * stride;
  auto greatest = std::bit_cast<std::int32_t>(lowest);
  do {
    const auto bits = std::bit_cast<std::int32_t>(*first);
    if (static_cast<std::uint32_t>(bits) < static_cast<std::uint32_t>(greatest)) greatest = bits;
    first += stride;
  } while (greatest < 0 && first != end);
  const auto join = [&greatest](float score) noexcept {
    const auto bits = std::bit_cast<std::int32_t>(score);
    greatest = greatest > bits ? greatest : bits;
  };
  if constexpr (port::unrolled != 1) {
    for (; end - first >= port::unrolled * stride; first += port::unrolled * stride) {
#pragma GCC unroll port::unrolled
      for (int i = 0; i < port::unrolled; ++i) join(first[i * stride]);
    }
  }
  return std::bit_cast<float>(maximum_of_rest(first, end, stride, greatest));
}

}  // namespace heed::detail
