// SPDX-License-Identifier: MIT
//
// Eight sums with numbers of 8 and 4 bits, dequantized on the way: their scales stay in registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <single_floats/detail/steps.hpp>

namespace heed::detail {

/// Number i of eight: signed bytes, or half of the bits of bytes that hold the values + 8.
[[gnu::always_inline]] inline float dequantize_int8(const std::uint8_t* from, int i) noexcept {
  return port::as_float(std::int32_t{static_cast<std::int8_t>(from[i])});
}
template <int Shift>
[[gnu::always_inline]] inline float dequantize_int4(const std::uint8_t* from, int i) noexcept {
  return port::as_float(std::int32_t{(from[i] >> Shift & 0x0F) - 8});
}

/// end [8] = start [8] + A x B of panels one after the other, with factors [8] of each and steps of `vector` bytes.
template <class Dequantize>
[[gnu::always_inline]] inline void add_panels(QuantizedSteps steps, const float* factors, PanelSums sums,
                                              std::ptrdiff_t vector, Dequantize dequantize) noexcept {
  const auto* b = static_cast<const std::uint8_t*>(steps.b);
#pragma GCC unroll 1
  for (; sums.panels != 0; --sums.panels, sums.start += sums.start_panel, sums.end += port::lanes) {
    float sum[8];
    float factor[8];
#pragma GCC unroll port::unrolled_eight
    for (int i = 0; i < 8; ++i) {
      sum[i] = sums.start[i];
      factor[i] = factors[i];
    }
    const float* const end = steps.a + steps.count;
#pragma GCC unroll port::unrolled
    for (const float* a = steps.a; a != end; ++a, b += vector) {
#pragma GCC unroll port::unrolled_eight
      for (int i = 0; i < 8; ++i) sum[i] = port::fused(*a, port::compact_product(dequantize(b, i), factor[i]), sum[i]);
    }
#pragma GCC unroll port::unrolled_eight
    for (int i = 0; i < 8; ++i) sums.end[i] = sum[i];
    factors += port::lanes;
  }
}

/// Signed bytes in panels of sixteen.
[[gnu::always_inline]] inline void add_int8_panels(QuantizedSteps steps, const float* factors,
                                                   PanelSums sums) noexcept {
  add_panels(steps, factors, sums, 16, dequantize_int8);
}

/// Numbers of four bits, in panels of eight bytes; Shift is 0 for the first eight lanes, 4 for the others.
template <int Shift>
[[gnu::always_inline]] inline void add_int4_panels(QuantizedSteps steps, const float* factors,
                                                   PanelSums sums) noexcept {
  add_panels(steps, factors, sums, 8, dequantize_int4<Shift>);
}

/// Signed bytes in panels of sixteen, from the first of eight lanes on, with factors [8], become to [count, 16].
[[gnu::noinline]] inline void dequantize_int8_steps(const void* b, const float* factors, std::uint32_t count,
                                                    float* to) noexcept {
  const auto* from = static_cast<const std::uint8_t*>(b);
  float factor[8];
#pragma GCC unroll port::unrolled_eight
  for (int i = 0; i < 8; ++i) factor[i] = factors[i];
#pragma GCC unroll 1
  for (; count != 0; --count, from += port::lanes, to += port::lanes) {
#pragma GCC unroll port::unrolled_eight
    for (int i = 0; i < 8; ++i) to[i] = port::compact_product(dequantize_int8(from, i), factor[i]);
  }
}

}  // namespace heed::detail
