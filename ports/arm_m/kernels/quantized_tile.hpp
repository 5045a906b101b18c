// SPDX-License-Identifier: MIT
//
// Numbers in few bits on single floats: eight lanes at a time, whose sums and scales stay in registers, so that one row
// decodes each number once and writes nothing but its sums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/quantized_numbers.hpp>
#include <port.hpp>
#include <type_traits>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Two rows would decode every number twice.
inline constexpr std::uint32_t quantized_tile_rows = 0;

inline constexpr int half_panel = port::lanes / 2;

/// The value of an IEEE-754 binary16 number; NaN becomes a quiet NaN.
[[gnu::always_inline]] inline float half_value(std::uint16_t half) noexcept {
  float value = std::bit_cast<float>(std::uint32_t{half});
  asm("vcvtb.f32.f16 %0, %0" : "+t"(value));
  return value;
}

/// Eight lanes from `first` on, 0 or 8. Of the bytes of int4, these are the bits from `shift` on.
template <class Numbers, int shift>
struct EightLanes {
  const Numbers& numbers;
  int first;
  float factors[half_panel];

  static constexpr bool has_factor = !std::is_same_v<decltype(Numbers{}.factor(0, 0)), NoFactor>;

  [[gnu::always_inline]] void take_factors(std::ptrdiff_t panel, std::uint32_t step) noexcept {
    if constexpr (has_factor) {
      const port::f32x16 factor = numbers.factor(panel, step);
#pragma GCC unroll 8
      for (int i = 0; i < half_panel; ++i) factors[i] = factor.lane[first + i];
    }
  }

  [[nodiscard, gnu::always_inline]] float decode(const std::int8_t* from, int i) const noexcept {
    return static_cast<float>(from[first + i]) * factors[i];
  }
  [[nodiscard, gnu::always_inline]] float decode(const std::uint8_t* from, int i) const noexcept {
    return static_cast<float>((from[i] >> shift & 0x0F) - 8) * factors[i];
  }
  [[nodiscard, gnu::always_inline]] float decode(const std::uint16_t* from, int i) const noexcept {
    if constexpr (std::is_same_v<Numbers, ShortFloats<half_lanes>>) {
      return half_value(from[first + i]);
    } else {
      return std::bit_cast<float>(std::uint32_t{from[first + i]} << 16);
    }
  }

  /// Sums of one row, each a chain over ascending steps as in tile().
  void multiply(const Gemm& product, std::ptrdiff_t panel) noexcept {
    float sums[half_panel];
    const std::ptrdiff_t at = panel * product.c_panel + first;
#pragma GCC unroll 8
    for (int i = 0; i < half_panel; ++i) sums[i] = product.start == nullptr ? 0.0F : product.start[at + i];
    const float* a = product.a;
    const auto* from = numbers.first + panel * (product.b_panel / Numbers::packed);
    for (std::uint32_t step = 0; step < product.depth;) {
      take_factors(panel, step);
      const std::uint32_t end = product.depth - step < int4_group_size ? product.depth : step + int4_group_size;
      for (; step < end; ++step, a += product.a_step, from += product.b_step / Numbers::packed) {
#pragma GCC unroll 8
        for (int i = 0; i < half_panel; ++i) sums[i] = __builtin_fmaf(*a, decode(from, i), sums[i]);
      }
    }
#pragma GCC unroll 8
    for (int i = 0; i < half_panel; ++i) product.c[at + i] = sums[i];
  }

  /// Floats [steps, 16] of one panel.
  void write(std::uint32_t steps, float* to) noexcept {
    const auto* from = numbers.first;
    for (std::uint32_t step = 0; step < steps;) {
      take_factors(0, step);
      const std::uint32_t end = steps - step < int4_group_size ? steps : step + int4_group_size;
      for (; step < end; ++step, from += port::lanes / Numbers::packed, to += port::lanes) {
#pragma GCC unroll 8
        for (int i = 0; i < half_panel; ++i) to[first + i] = decode(from, i);
      }
    }
  }
};

/// Calls use(lanes) for both halves of a panel.
template <class Numbers, class Use>
[[gnu::always_inline]] inline void for_halves(const Numbers& numbers, Use use) noexcept {
  if constexpr (Numbers::packed == 2) {
    use(EightLanes<Numbers, 0>{numbers, 0, {}});
    use(EightLanes<Numbers, 4>{numbers, half_panel, {}});
  } else {
    for (int first = 0; first < port::lanes; first += half_panel) use(EightLanes<Numbers, 0>{numbers, first, {}});
  }
}

/// C = start + A B of one row, in whole panels.
template <class Numbers>
void multiply_quantized(const Gemm& product, const Numbers& numbers) noexcept {
  const auto panels = static_cast<std::ptrdiff_t>(round_up(product.columns, panel_width) / panel_width);
  for (std::ptrdiff_t panel = 0; panel < panels; ++panel) {
    for_halves(numbers, [&](auto lanes) noexcept { lanes.multiply(product, panel); });
  }
}

/// Floats [steps, 16] of one panel.
template <class Numbers>
void decode_panel(const Numbers& numbers, std::uint32_t steps, float* to) noexcept {
  for_halves(numbers, [&](auto lanes) noexcept { lanes.write(steps, to); });
}

}  // namespace heed::detail
