// SPDX-License-Identifier: MIT
//
// Numbers in few bits as the columns of a product's B, with their scales.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <kernels/convert.hpp>
#include <port.hpp>
#include <type_traits>

#include "heed/format.hpp"

namespace heed::detail {

/// Nothing to multiply by.
struct NoFactor {};

/// How sixteen numbers of B become floats. `first` is the address of (step 0, panel 0), where `packed` numbers share an
/// element. factor(panel, step) holds from `step`, a multiple of scale_group_size, for scale_group_size steps.
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
  [[nodiscard, gnu::always_inline]] static port::f32x16 at(const std::int8_t* from, std::ptrdiff_t /*panel*/,
                                                           std::uint32_t /*step*/,
                                                           const port::f32x16& factor) noexcept {
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
    return load_scales(scales + (panel * groups + static_cast<std::ptrdiff_t>(step / scale_group_size)) * port::lanes);
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
        scales[static_cast<std::ptrdiff_t>(step) * groups + panel * port::lanes / std::ptrdiff_t{scale_group_size}];
    return port::mul(load_int4(from), port::set(std::bit_cast<float>(std::uint32_t{scale} << 16)));
  }
};

}  // namespace heed::detail
