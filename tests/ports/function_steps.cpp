// SPDX-License-Identifier: MIT
//
// Activations in integers over rows, and norms.
#include <bit>
#include <cstdint>
#include <kernels/integer_sigmoid.hpp>
#include <kernels/map.hpp>
#include <kernels/norm.hpp>
#include <limits>
#include <port.hpp>
#include <single_operations.hpp>

#include "firmware/data.hpp"
#include "math/functions.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

struct IntegerGelu {
  static constexpr bool is_integer_gelu = true;
  static constexpr bool is_integer_silu = false;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return mul(max(detail::all_lanes<Lanes>(detail::lowest), x), detail::integer_gaussian(x));
  }
};

struct IntegerSilu {
  static constexpr bool is_integer_gelu = false;
  static constexpr bool is_integer_silu = true;

  template <class Lanes>
  [[gnu::always_inline]] Lanes operator()(const Lanes& x) const noexcept {
    return mul(max(detail::all_lanes<Lanes>(detail::lowest), x), detail::integer_sigmoid(x));
  }
};

/// Activations of integers: near 0, where halves are rounded, beyond all that is not 0 or 1, and the ends.
template <class Function>
void map_activation(std::uint32_t number, Found& found) {
  constexpr std::uint32_t room = 42;
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

/// A norm of x [count], as the vector's operations have it, about its mean or about 0.
void norm_by_vectors(const float* x, std::uint32_t count, const float* weight, const float* bias, bool centred,
                     float* to) {
  using namespace port;
  const auto size = static_cast<float>(count);
  f32x16 total = set(0.0F);
  for (std::uint32_t i = 0; i < count; i += lanes) total = add(total, load(x + i));
  const f32x16 mean = set(centred ? port::sum(total) / size : 0.0F);
  total = set(0.0F);
  for (std::uint32_t i = 0; i < count; i += lanes) {
    const f32x16 d = sub(load(x + i), mean);
    total = fma(d, d, total);
  }
  const f32x16 factor = set(1.0F / port::square_root(port::sum(total) / size + 1e-5F));
  for (std::uint32_t i = 0; i < count; i += lanes) {
    const f32x16 scaled = mul(sub(load(x + i), mean), factor);
    store(to + i, bias != nullptr ? fma(scaled, load(weight + i), load(bias + i)) : mul(scaled, load(weight + i)));
  }
}

/// Norms of rows of whole vectors.
void norm(std::uint32_t number, Found& found) {
  constexpr std::uint32_t room = 6 * panel_width;
  const std::uint32_t count = (1 + number % 6) * panel_width;
  float x[room];
  float weight[room];
  float bias[room];
  float y[room]{};
  Numbers random(number);
  random.fill(x, 3.0F);
  random.fill(weight, 2.0F);
  random.fill(bias, 2.0F);
  const bool centred = number % 3 != 0;
  const float* const added = number % 3 == 1 ? bias : nullptr;
  const bool done = centred ? detail::layer_norm_vectors(x, count, weight, added, 1e-5F, y)
                            : detail::rms_norm_vectors(x, count, weight, 1e-5F, y);
  if (!done) norm_by_vectors(x, count, weight, added, centred, y);
  found.add(y);
}

constexpr Step steps[] = {
    {"map_scaled of a GELU of integers", 180, map_activation<IntegerGelu>},
    {"map_scaled of a SiLU of integers", 180, map_activation<IntegerSilu>},
    {"norms of whole vectors", 60, norm},
};

}  // namespace

std::span<const Step> function_steps() {
  return steps;
}

}  // namespace heed::test
