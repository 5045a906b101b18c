// SPDX-License-Identifier: MIT
//
// Numbers in few bits on single floats: eight lanes at a time, whose sums and scales stay in registers, so that one row
// dequantizes each number once and writes nothing but its sums.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <detail/half_value.hpp>
#include <detail/quantized_steps.hpp>
#include <kernels/quantized_numbers.hpp>
#include <port.hpp>
#include <type_traits>

#include "common/kernel_contract.hpp"

namespace heed::detail {

/// Two rows would dequantize every number twice.
inline constexpr std::uint32_t quantized_tile_rows = 0;

inline constexpr int half_panel = port::lanes / 2;

/// Eight lanes from `first` on, 0 or 8. Of the bytes of int4, these are the bits from `shift` on.
template <class Numbers, int shift>
class EightLanes {
 public:
  EightLanes(const Numbers& numbers, int first) noexcept : numbers_(numbers), first_(first) {}

  /// Sums of one row, each a chain over ascending steps as in tile(). Steps of A lie side by side, so do those of B,
  /// its panels and those of the sums.
  [[gnu::always_inline]] void multiply(const Gemm& product) noexcept {
    static constexpr float zeros[half_panel] = {};
    const auto first = static_cast<std::uint32_t>(first_);
    std::uint32_t panels = (product.columns + panel_width - 1 - first) / panel_width;
    const bool from_zero = product.start == nullptr;
    PanelSums sums{from_zero ? zeros : product.start + first_, from_zero ? 0 : port::lanes, product.c + first_, panels};
    if constexpr (std::is_same_v<Numbers, Int8OfLanes>) {
      const std::uint32_t last = product.columns % panel_width;
      const bool few = !port::takes_support && last > first && last <= first + few_lanes;
      sums.panels = few ? panels - 1 : panels;
      if (sums.panels != 0) {
        add_int8_panels({product.a, numbers_.first + first_, product.depth}, numbers_.scales + first_, sums);
      }
      if (few) add_few_lanes(product, panels - 1, sums);
      return;
    }
    const auto* from = numbers_.first;
    sums.panels = 1;
    for (std::uint32_t panel = 0; panel < panels; ++panel) {
      PanelSums part = sums;
      const float* a = product.a;
      for (std::uint32_t left = product.depth; left != 0;) {
        const float* const factors = factors_of(panel, product.depth - left);
        const std::uint32_t count = !has_factor || left < scale_group_size ? left : scale_group_size;
        add_steps(a, from, count, factors, part);
        part.start = part.end;
        left -= count;
        a += count;
        from += std::size_t{count} * (port::lanes / Numbers::packed);
      }
      sums.start += sums.start_panel;
      sums.end += port::lanes;
    }
  }

  /// Floats [steps, 16] of one panel.
  void write(std::uint32_t steps, float* to) noexcept {
    const auto* from = numbers_.first;
    if constexpr (std::is_same_v<Numbers, Int8OfLanes>) {
      dequantize_int8_steps(from + first_, numbers_.scales + first_, steps, to + first_);
      return;
    }
    if constexpr (std::is_same_v<Numbers, Int8OfSteps>) {
      for (std::uint32_t step = 0; step < steps; ++step, from += port::lanes, to += port::lanes) {
#pragma GCC unroll port::unrolled_eight
        for (int i = 0; i < half_panel; ++i)
          to[first_ + i] = port::compact_product(port::as_float(std::int32_t{from[first_ + i]}), numbers_.scales[step]);
      }
      return;
    }
    for (std::uint32_t step = 0; step < steps;) {
      const float* const factors = factors_of(0, step);
      const std::uint32_t end = steps - step < scale_group_size ? steps : step + scale_group_size;
      for (; step < end; ++step, from += port::lanes / Numbers::packed, to += port::lanes) {
#pragma GCC unroll port::unrolled_eight
        for (int i = 0; i < half_panel; ++i) to[first_ + i] = dequantize(from, i, factors);
      }
    }
  }

  /// Floats [steps] of one lane of a panel.
  void write_lane(int lane, std::uint32_t steps, float* to) noexcept {
    const auto* from = numbers_.first;
    for (std::uint32_t step = 0; step < steps;) {
      const float* const factors = factors_of(0, step);
      const std::uint32_t end = steps - step < scale_group_size ? steps : step + scale_group_size;
      for (; step < end; ++step, from += port::lanes / Numbers::packed) to[step] = dequantize(from, lane, factors);
    }
  }

 private:
  static constexpr bool has_factor = !std::is_same_v<decltype(Numbers{}.factor(0, 0)), NoFactor>;

  /// So few lanes of a last panel are left to the compiler.
  static constexpr std::uint32_t few_lanes = 4;

  [[gnu::always_inline]] void add_few_lanes(const Gemm& product, std::uint32_t panel,
                                            const PanelSums& sums) const noexcept {
    const float* const factors = numbers_.scales + std::size_t{panel} * panel_width + first_;
    const float* const start = sums.start + static_cast<std::ptrdiff_t>(panel) * sums.start_panel;
    float* const end = sums.end + std::size_t{panel} * panel_width;
    const float* a = product.a;
    const auto* from = numbers_.first + std::size_t{panel} * product.depth * panel_width;
    float sum[few_lanes];
#pragma GCC unroll port::unrolled_eight
    for (std::uint32_t i = 0; i < few_lanes; ++i) sum[i] = start[i];
#pragma GCC unroll 1
    for (std::uint32_t left = product.depth; left != 0; --left, ++a, from += port::lanes) {
#pragma GCC unroll port::unrolled_eight
      for (int i = 0; i < static_cast<int>(few_lanes); ++i)
        sum[i] = port::fused(*a, dequantize(from, i, factors), sum[i]);
    }
#pragma GCC unroll port::unrolled_eight
    for (std::uint32_t i = 0; i < few_lanes; ++i) end[i] = sum[i];
  }

  /// Eight scales, that hold as long as those of Numbers::factor().
  [[nodiscard, gnu::always_inline]] const float* factors_of(std::uint32_t panel, std::uint32_t step) noexcept {
    if constexpr (std::is_same_v<Numbers, Int8OfLanes>) {
      return numbers_.scales + panel * port::lanes + first_;
    } else if constexpr (has_factor) {
      const port::f32x16 factor = numbers_.factor(static_cast<std::ptrdiff_t>(panel), step);
#pragma GCC unroll port::unrolled_eight
      for (int i = 0; i < half_panel; ++i) factors_[i] = factor.lane[first_ + i];
    }
    return factors_;
  }

  /// Some steps of a panel that begins at `from`.
  [[gnu::always_inline]] void add_steps(const float* a, decltype(Numbers::first) from, std::uint32_t count,
                                        const float* factors, const PanelSums& part) const noexcept {
    if constexpr (std::is_same_v<decltype(from), const std::int8_t*>) {
      add_int8_panels({a, from + first_, count}, factors, part);
    } else if constexpr (Numbers::packed == 2) {
      add_int4_panels<shift>({a, from, count}, factors, part);
    } else {
      float sum[half_panel];
#pragma GCC unroll port::unrolled_eight
      for (int i = 0; i < half_panel; ++i) sum[i] = part.start[i];
      for (; count != 0; --count, ++a, from += port::lanes) {
#pragma GCC unroll port::unrolled_eight
        for (int i = 0; i < half_panel; ++i) sum[i] = port::fused(*a, dequantize(from, i, factors), sum[i]);
      }
#pragma GCC unroll port::unrolled_eight
      for (int i = 0; i < half_panel; ++i) part.end[i] = sum[i];
    }
  }

  [[nodiscard, gnu::always_inline]] float dequantize(const std::int8_t* from, int i,
                                                     const float* factors) const noexcept {
    return port::compact_product(port::as_float(std::int32_t{from[first_ + i]}), factors[i]);
  }
  [[nodiscard, gnu::always_inline]] float dequantize(const std::uint8_t* from, int i,
                                                     const float* factors) const noexcept {
    return port::compact_product(port::as_float(std::int32_t{(from[i] >> shift & 0x0F) - 8}), factors[i]);
  }
  [[nodiscard, gnu::always_inline]] float dequantize(const std::uint16_t* from, int i, const float*) const noexcept {
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

/// C = start + A B of one row. The steps of A lie side by side, and so do the panels of B and C.
template <class Numbers>
void multiply_quantized(const Gemm& product, const Numbers& numbers) noexcept {
  for_halves(numbers, [&](auto lanes) noexcept { lanes.multiply(product); });
}

/// Floats [steps, 16] of one panel.
template <class Numbers>
void dequantize_panel(const Numbers& numbers, std::uint32_t steps, float* to) noexcept {
  for_halves(numbers, [&](auto lanes) noexcept { lanes.write(steps, to); });
}

/// Floats [count] of bytes that share a scale; count is a multiple of 16.
inline void dequantize_row(const std::int8_t* from, float scale, std::uint32_t count, float* to) noexcept {
  const port::f32x16 factors = port::set(scale);
  dequantize_panel(Int8OfLanes{from, factors.lane}, count / panel_width, to);
}

/// Floats [steps] of one lane of a panel.
template <class Numbers>
void dequantize_lane(const Numbers& numbers, int lane, std::uint32_t steps, float* to) noexcept {
  const int first = lane < half_panel ? 0 : half_panel;
  if (Numbers::packed == 2 && first != 0) {
    EightLanes<Numbers, 4>(numbers, first).write_lane(lane - first, steps, to);
  } else {
    EightLanes<Numbers, 0>(numbers, first).write_lane(lane - first, steps, to);
  }
}

}  // namespace heed::detail
