// SPDX-License-Identifier: MIT
//
// A product whose B is stored in few bits and decoded in registers, for a few rows: a number is used too rarely then to
// pay for writing it down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/accumulators.hpp>
#include <kernels/convert.hpp>
#include <port.hpp>
#include <type_traits>

#include "heed/detail/layout.hpp"
#include "heed/kv_cache.hpp"

namespace heed::detail {

/// Rows that are multiplied while B is decoded: none where registers are so few that two rows take one panel at a time.
inline constexpr std::uint32_t quantized_tile_rows = port::tile_panels(2) > 1 ? 2 : 0;

/// Nothing to multiply by.
struct NoFactor {};

/// How sixteen numbers of B become floats. `first` is the address of (step 0, panel 0), where `packed` numbers share an
/// element. factor(panel, step) holds from `step`, a multiple of int4_group_size, for int4_group_size steps.
template <port::f32x16 (*load_elements)(const std::uint16_t*) noexcept>
struct ShortFloats {
  static constexpr std::ptrdiff_t packed = 1;
  const std::uint16_t* first;
  [[nodiscard, gnu::always_inline]] static NoFactor factor(std::ptrdiff_t /*panel*/, std::uint32_t /*step*/) noexcept {
    return {};
  }
  [[nodiscard, gnu::always_inline]] port::f32x16 at(const std::uint16_t* from, std::ptrdiff_t /*panel*/,
                                                    std::uint32_t /*step*/, NoFactor /*factor*/) const noexcept {
    return load_elements(from);
  }
};

/// A scale for each lane of a panel.
struct Int8OfLanes {
  static constexpr std::ptrdiff_t packed = 1;
  const std::int8_t* first;
  const float* scales;  ///< [panels, 16]
  [[nodiscard, gnu::always_inline]] port::f32x16 factor(std::ptrdiff_t panel, std::uint32_t /*step*/) const noexcept {
    return port::load(scales + panel * port::lanes);
  }
  [[nodiscard, gnu::always_inline]] port::f32x16 at(const std::int8_t* from, std::ptrdiff_t /*panel*/,
                                                    std::uint32_t /*step*/, const port::f32x16& factor) const noexcept {
    return port::mul(load_int8(from), factor);
  }
};

/// A scale for each step.
struct Int8OfSteps {
  static constexpr std::ptrdiff_t packed = 1;
  const std::int8_t* first;
  const float* scales;  ///< [depth]
  [[nodiscard, gnu::always_inline]] static NoFactor factor(std::ptrdiff_t /*panel*/, std::uint32_t /*step*/) noexcept {
    return {};
  }
  [[nodiscard, gnu::always_inline]] port::f32x16 at(const std::int8_t* from, std::ptrdiff_t /*panel*/,
                                                    std::uint32_t step, NoFactor /*factor*/) const noexcept {
    return port::mul(load_int8(from), port::set(scales[step]));
  }
};

/// What takes sixteen numbers of two bytes each from memory, as a function that has an address.
[[gnu::always_inline]] inline port::f32x16 half_lanes(const std::uint16_t* from) noexcept {
  return load_half(from);
}
[[gnu::always_inline]] inline port::f32x16 bfloat16_lanes(const std::uint16_t* from) noexcept {
  return load_bfloat16(from);
}

/// Sixteen integers of eight bits, and of four.
[[gnu::always_inline]] inline port::f32x16 load_integers(const std::int8_t* from) noexcept {
  return load_int8(from);
}
[[gnu::always_inline]] inline port::f32x16 load_integers(const std::uint8_t* from) noexcept {
  return load_int4(from);
}

/// A scale for each lane of a panel and group of steps.
template <class Integer, port::f32x16 (*load_scales)(const std::uint16_t*) noexcept>
struct GroupsOfLanes {
  static constexpr std::ptrdiff_t packed = std::is_same_v<Integer, std::uint8_t> ? 2 : 1;
  const Integer* first;
  const std::uint16_t* scales;  ///< [panels, groups, 16]
  std::ptrdiff_t groups;
  [[nodiscard, gnu::always_inline]] port::f32x16 factor(std::ptrdiff_t panel, std::uint32_t step) const noexcept {
    return load_scales(scales + (panel * groups + static_cast<std::ptrdiff_t>(step / int4_group_size)) * port::lanes);
  }
  [[nodiscard, gnu::always_inline]] port::f32x16 at(const Integer* from, std::ptrdiff_t /*panel*/,
                                                    std::uint32_t /*step*/, const port::f32x16& factor) const noexcept {
    return port::mul(load_integers(from), factor);
  }
};

/// A scale for each step and group of columns.
struct Int4OfSteps {
  static constexpr std::ptrdiff_t packed = 2;
  const std::uint8_t* first;
  const std::uint16_t* scales;  ///< [depth, groups]
  std::ptrdiff_t groups;
  [[nodiscard, gnu::always_inline]] static NoFactor factor(std::ptrdiff_t /*panel*/, std::uint32_t /*step*/) noexcept {
    return {};
  }
  [[nodiscard, gnu::always_inline]] port::f32x16 at(const std::uint8_t* from, std::ptrdiff_t panel, std::uint32_t step,
                                                    NoFactor /*factor*/) const noexcept {
    const std::uint16_t scale =
        scales[static_cast<std::ptrdiff_t>(step) * groups + panel * port::lanes / std::ptrdiff_t{int4_group_size}];
    return port::mul(load_int4(from), port::set(std::bit_cast<float>(std::uint32_t{scale} << 16)));
  }
};

/// Rows x Panels sums from `first_panel` on, each a chain over ascending steps as in tile().
template <int Rows, int Panels, class Numbers>
void quantized_tile(const Gemm& product, const Numbers& numbers, std::ptrdiff_t first_panel) noexcept {
  Sums<Rows, Panels> sums;
  start_sums<Rows, Panels, false>(product, 0, first_panel, 0, sums);
  const float* a = product.a;
  const std::ptrdiff_t b_panel = product.b_panel / Numbers::packed;
  const std::ptrdiff_t b_step = product.b_step / Numbers::packed;
  const auto* b = numbers.first + first_panel * b_panel;
  for (std::uint32_t step = 0; step < product.depth;) {
    decltype(numbers.factor(0, 0)) factors[std::size_t{Panels}];
#pragma GCC unroll 16
    for (int p = 0; p < Panels; ++p) factors[p] = numbers.factor(first_panel + p, step);
    const std::uint32_t end = product.depth - step < int4_group_size ? product.depth : step + int4_group_size;
    for (; step < end; ++step, a += product.a_step, b += b_step) {
      port::f32x16 weights[std::size_t{Rows}];
#pragma GCC unroll 16
      for (int r = 0; r < Rows; ++r) weights[r] = port::set(a[r * product.a_row]);
        // Panel by panel: all of them decoded at once would push sums out of the registers.
#pragma GCC unroll 16
      for (int p = 0; p < Panels; ++p) {
        const port::f32x16 panel = numbers.at(b + p * b_panel, first_panel + p, step, factors[p]);
#pragma GCC unroll 16
        for (int r = 0; r < Rows; ++r) sums.of[r][p] = port::fma(weights[r], panel, sums.of[r][p]);
      }
    }
  }
  store_sums<Rows, Panels, false>(product, 0, first_panel, 0, sums);
}

/// C = start + A B of at most quantized_tile_rows rows, in whole panels: product.b is not read, its strides count
/// elements of `numbers`, and C has room for round_up(columns, 16).
template <int Rows, class Numbers>
void multiply_stored_rows(const Gemm& product, const Numbers& numbers) noexcept {
  constexpr int at_once = port::tile_panels(Rows);
  const auto panels = static_cast<std::ptrdiff_t>(round_up(product.columns, panel_width) / panel_width);
  std::ptrdiff_t panel = 0;
  for (; panel + at_once <= panels; panel += at_once) quantized_tile<Rows, at_once>(product, numbers, panel);
  for (; panel < panels; ++panel) quantized_tile<Rows, 1>(product, numbers, panel);
}

template <class Numbers>
void multiply_quantized(const Gemm& product, const Numbers& numbers) noexcept {
  if constexpr (quantized_tile_rows >= 2) {
    if (product.rows == 2) {
      multiply_stored_rows<2>(product, numbers);
      return;
    }
  }
  multiply_stored_rows<1>(product, numbers);
}

}  // namespace heed::detail
