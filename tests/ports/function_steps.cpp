// SPDX-License-Identifier: MIT
//
// Functions of a number over rows: any, the sigmoid, and activations in integers.
#include <bit>
#include <cstdint>
#include <kernels/integer_sigmoid.hpp>
#include <kernels/map.hpp>
#include <kernels/sigmoid.hpp>
#include <limits>
#include <port.hpp>

#include "firmware/data.hpp"
#include "math/functions.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct Cube {
  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return sub(mul(mul(x, x), x), x);
  }
};

/// Rows of 1..40 numbers, in place and elsewhere, with factors and without.
void map_numbers(std::uint32_t number, Found& found) {
  constexpr std::size_t room = 42;
  const std::uint32_t count = 1 + number % (room - 2);
  float from[room];
  float to[room];
  float scaled[room];
  float factors[room];
  Numbers random(number);
  random.fill(from, 3.0F);
  random.fill(to, 3.0F);
  random.fill(scaled, 3.0F);
  random.fill(factors, 3.0F);
  detail::map_row(from + 1, count, to + 1, Cube{});
  detail::map_scaled<Cube>(from + 1, number % 2 == 0 ? factors + 1 : nullptr, count, scaled + 1);
  detail::map_row(from + 1, count, from + 1, Cube{});
  found.add(to);
  found.add(scaled);
  found.add(from);
}

/// Floats all over the line, 0, the infinities and NaN among them.
void take_sigmoid(std::uint32_t number, Found& found) {
  float x[port::lanes];
  Numbers random(number);
  random.fill(x, number % 2 == 0 ? 128.0F : 2.0F);
  if (number == 0) {
    x[0] = 0.0F;
    x[1] = -0.0F;
    x[2] = infinity;
    x[3] = -infinity;
    x[4] = nan;
    x[5] = 87.33F;
    x[6] = -87.33F;
  }
  port::store(x, detail::sigmoid_lanes(port::load(x)));
  found.add(x);
}

template <class Lanes>
[[gnu::always_inline]] inline Lanes scaled(const Lanes& x, const Lanes& share) noexcept {
  return mul(max(detail::all_lanes<Lanes>(detail::lowest), x), share);
}

/// As the library has them; what is one number may be scaled by a share in a way of its own.
struct IntegerGelu {
  [[maybe_unused]] static constexpr bool is_integer_gelu = true;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    using detail::integer_gaussian;
    return scaled(x, integer_gaussian(x));
  }
};

struct IntegerSilu {
  [[maybe_unused]] static constexpr bool is_integer_gelu = false;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    using detail::integer_sigmoid;
    return scaled(x, integer_sigmoid(x));
  }
};

/// Activations of integers: near 0, where halves are rounded, beyond all that is not 0 or 1, and the ends.
template <class Function>
void map_activation(std::uint32_t number, Found& found) {
  constexpr std::uint32_t room = 74;  // some take four vectors at once
  const std::uint32_t count = 1 + number % room;
  float x[room];
  float factors[room];
  Numbers random(number);
  random.fill(x, number % 3 == 0 ? 0.01F : 16.0F);
  random.fill(factors, 3.0F);
  if (number % 3 == 1) {
    const int first = static_cast<int>(number / 3 * room) - 1260;
    for (int i = 0; i < static_cast<int>(room); ++i) x[i] = static_cast<float>(first + i) * 0x1p-9F;
  }
  for (std::uint32_t i = 0; i < room; ++i) {
    const std::uint32_t choice = random.bits16();
    if (choice % 4 == 0) x[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(x[i]) & 0xFFFF0000U);
    if (choice % 32 == 1) x[i] *= 1000.0F;
    if (choice % 64 == 3) x[i] = choice % 128 == 3 ? 0x1p-124F : 0.0F;  // whose halves are normal
    if (choice % 64 == 4) factors[i] = choice % 128 == 4 ? -0.0F : 0x1p-120F;
  }
  if (number % 5 == 0) x[number % 4] = -infinity;
  if (number % 5 == 1) x[number % 4] = infinity;
  if (number % 5 == 2) x[number % 4] = -detail::lowest;
  if (number % 5 == 3) x[number % 4] = detail::lowest;
  if (number % 5 == 4) x[number % 4] = -0.0F;
  if (number % 7 == 0) x[number % 4] = nan;
  detail::map_scaled<Function>(x, number % 2 == 0 ? factors : nullptr, count, x);
  for (float& y : x) {
    if (y != y) y = 1234.0F;
  }
  found.add(x);
}

constexpr Step steps[] = {
    {"map_row, map_scaled", 80, map_numbers},
    {"sigmoid_lanes", 400, take_sigmoid},
    {"map_scaled of a GELU of integers", 600, map_activation<IntegerGelu>},
    {"map_scaled of a SiLU of integers", 600, map_activation<IntegerSilu>},
};

}  // namespace

std::span<const Step> function_steps() {
  return steps;
}

}  // namespace heed::test
