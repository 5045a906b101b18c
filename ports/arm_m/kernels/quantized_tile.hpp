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

#include "../detail/quantized_steps.hpp"
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
class EightLanes {
 public:
  EightLanes(const Numbers& numbers, int first) noexcept : numbers_(numbers), first_(first) {}

  /// Sums of one row, each a chain over ascending steps as in tile().
  [[gnu::always_inline]] void multiply(const Gemm& product, std::ptrdiff_t panel) noexcept {
    static constexpr float zeros[half_panel] = {};
    const std::ptrdiff_t at = panel * product.c_panel + first_;
    float* const sums = product.c + at;
    const float* start = product.start == nullptr ? zeros : product.start + at;
    const float* a = product.a;
    const auto* from = numbers_.first + panel * (product.b_panel / Numbers::packed);
    for (std::uint32_t left = product.depth; left != 0;) {
      const float* const factors = factors_of(panel, product.depth - left);
      const std::uint32_t count = keeps_factors || left < int4_group_size ? left : int4_group_size;
      add_steps({a, product.a_step, from, count}, factors, start, sums);
      start = sums;
      left -= count;
      a += static_cast<std::ptrdiff_t>(count) * product.a_step;
      from += std::size_t{count} * (port::lanes / Numbers::packed);
    }
  }

  /// Floats [steps, 16] of one panel.
  void write(std::uint32_t steps, float* to) noexcept {
    const auto* from = numbers_.first;
    if constexpr (std::is_same_v<Numbers, Int8OfLanes>) {
      decode_int8_steps(from + first_, numbers_.scales + first_, steps, to + first_);
      return;
    }
    for (std::uint32_t step = 0; step < steps;) {
      const float* const factors = factors_of(0, step);
      const std::uint32_t end = steps - step < int4_group_size ? steps : step + int4_group_size;
      for (; step < end; ++step, from += port::lanes / Numbers::packed, to += port::lanes) {
#pragma GCC unroll 8
        for (int i = 0; i < half_panel; ++i) to[first_ + i] = decode(from, i, factors);
      }
    }
  }

 private:
  static constexpr bool has_factor = !std::is_same_v<decltype(Numbers{}.factor(0, 0)), NoFactor>;
  static constexpr bool keeps_factors = !has_factor || std::is_same_v<Numbers, Int8OfLanes>;

  /// Eight scales, that hold as long as those of Numbers::factor().
  [[nodiscard, gnu::always_inline]] const float* factors_of(std::ptrdiff_t panel, std::uint32_t step) noexcept {
    if constexpr (std::is_same_v<Numbers, Int8OfLanes>) {
      return numbers_.scales + panel * port::lanes + first_;
    } else if constexpr (has_factor) {
      const port::f32x16 factor = numbers_.factor(panel, step);
#pragma GCC unroll 8
      for (int i = 0; i < half_panel; ++i) factors_[i] = factor.lane[first_ + i];
    }
    return factors_;
  }

  /// A panel begins at b; panels of steps lie one behind the other.
  struct PanelSteps {
    const float* a;
    std::ptrdiff_t a_step;
    decltype(Numbers::first) b;
    std::uint32_t count;
  };

  [[gnu::always_inline]] void add_steps(const PanelSteps& steps, const float* factors, const float* start,
                                        float* sums) const noexcept {
    if constexpr (std::is_same_v<decltype(steps.b), const std::int8_t*>) {
      add_int8_steps({steps.a, steps.a_step, steps.b + first_, steps.count}, factors, start, sums);
    } else if constexpr (Numbers::packed == 2) {
      add_int4_steps<shift>({steps.a, steps.a_step, steps.b, steps.count}, factors, start, sums);
    } else {
      float sum[half_panel];
#pragma GCC unroll 8
      for (int i = 0; i < half_panel; ++i) sum[i] = start[i];
      const float* a = steps.a;
      const auto* from = steps.b;
      for (std::uint32_t left = steps.count; left != 0; --left, a += steps.a_step, from += port::lanes) {
#pragma GCC unroll 8
        for (int i = 0; i < half_panel; ++i) sum[i] = __builtin_fmaf(*a, decode(from, i, factors), sum[i]);
      }
#pragma GCC unroll 8
      for (int i = 0; i < half_panel; ++i) sums[i] = sum[i];
    }
  }

  [[nodiscard, gnu::always_inline]] float decode(const std::int8_t* from, int i, const float* factors) const noexcept {
    return static_cast<float>(from[first_ + i]) * factors[i];
  }
  [[nodiscard, gnu::always_inline]] float decode(const std::uint8_t* from, int i, const float* factors) const noexcept {
    return static_cast<float>((from[i] >> shift & 0x0F) - 8) * factors[i];
  }
  [[nodiscard, gnu::always_inline]] float decode(const std::uint16_t* from, int i, const float*) const noexcept {
    if constexpr (std::is_same_v<Numbers, ShortFloats<half_lanes>>) {
      return half_value(from[first_ + i]);
    } else {
      return std::bit_cast<float>(std::uint32_t{from[first_ + i]} << 16);
    }
  }

  const Numbers& numbers_;
  int first_;
  float factors_[half_panel];
};

/// Calls use(lanes) for both halves of a panel.
template <class Numbers, class Use>
[[gnu::always_inline]] inline void for_halves(const Numbers& numbers, Use use) noexcept {
  if constexpr (Numbers::packed == 2) {
    use(EightLanes<Numbers, 0>(numbers, 0));
    use(EightLanes<Numbers, 4>(numbers, half_panel));
  } else {
#pragma GCC unroll 1
    for (int first = 0; first < port::lanes; first += half_panel) use(EightLanes<Numbers, 0>(numbers, first));
  }
}

/// C = start + A B of one row, in whole panels whose steps lie one behind the other.
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
