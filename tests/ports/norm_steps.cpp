// SPDX-License-Identifier: MIT
//
// What norms and residual sums do to rows, and what sums of integers over values come to.
#include <bit>
#include <cstddef>
#include <kernels/add_row.hpp>
#include <kernels/multiply_row.hpp>
#include <kernels/value_sums.hpp>
#include <port.hpp>

#include "firmware/data.hpp"
#include "nn/normalization.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::uint32_t most = 70;

/// All bits of a mantissa, exponents up to `spread` from that of 1, and a zero now and then.
void fill_bits(Numbers& random, std::span<float> values, std::uint32_t spread) {
  for (float& value : values) {
    const std::uint32_t sign = random.bits16() << 31;
    const std::uint32_t exponent = random.between(127 - spread, 127 + spread);
    const std::uint32_t mantissa = random.bits16() << 7 | random.bits16() % 128;
    value = std::bit_cast<float>(random.bits16() % 37 == 0 ? sign : sign | exponent << 23 | mantissa);
  }
}

void normalize(std::uint32_t number, Found& found) {
  Numbers random(number);
  const std::uint32_t dim = 1 + number % most;
  float x[most];
  float weight[most];
  float bias[most];
  float y[most]{};
  const std::uint32_t spread = number % 3 == 0 ? 1 : number % 3 == 1 ? 4 : 20;
  fill_bits(random, x, spread);
  fill_bits(random, weight, number % 4 == 0 ? 40 : spread);
  fill_bits(random, bias, spread);
  const float epsilon = number % 5 == 0 ? 1.0F : 0x1p-16F;
  detail::rms_norm_row(x, dim, weight, epsilon, y);
  found.add(y);
  detail::layer_norm_row(x, dim, weight, number % 2 == 0 ? bias : nullptr, epsilon, y);
  found.add(y);
  // In place.
  detail::layer_norm_row(x, dim, weight, bias, epsilon, x);
  detail::rms_norm_row(x, dim, weight, epsilon, x);
  found.add(x);
}

void add(std::uint32_t number, Found& found) {
  Numbers random(number);
  float x[most];
  float y[most];
  fill_bits(random, x, number % 30);
  fill_bits(random, y, number % 30);
  // Sums that cancel.
  for (std::uint32_t i = 0; i < most; i += 5) y[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(-x[i]) + i % 4);
  detail::add_row(x, number % (most + 1), y);
  found.add(y);
}

constexpr std::uint32_t multiply_cases = 2 * (most + 1);

void multiply(std::uint32_t number, Found& found) {
  Numbers random(number);
  float x[most];
  float y[most];
  float factor[1];
  fill_bits(random, x, number % 30);
  fill_bits(random, factor, number % 7 == 0 ? 125 : number % 30);
  // As scales and inverses of sums of weights are: often a power of two.
  if (number % 3 == 0) factor[0] = number % 2 == 0 ? 1.0F : 0.25F;
  for (std::uint32_t i = 0; i < most; i += 6) x[i] = i % 4 == 0 ? -0.0F : 0.0F;
  if (number == multiply_cases - 1) {
    for (std::uint32_t i = 0; i < most; ++i) x[i] = i % 2 == 0 ? port_check::nearly_two[0] : -port_check::nearly_two[0];
    factor[0] = port_check::nearly_two[1];
  }
  const std::uint32_t count = number % (most + 1);
  detail::multiply_row(x, count, factor[0], y);
  found.add(std::span(y, count));
  detail::multiply_row_unsigned_zeros(x, count, factor[0], x);
  found.add(std::span(x, count));
}

constexpr std::uint32_t sum_cases = 400;

void sum_values(std::uint32_t number, Found& found) {
  Numbers random(number);
  const std::uint32_t count = 1 + number % panel_width;
  std::int32_t sums[panel_width];
  float y[panel_width]{};
  float scale[1];
  fill_bits(random, scale, number % 5 == 0 ? 120 : 20);
  if (number == sum_cases - 1) scale[0] = port_check::nearly_two[1];
  for (int part = 0; part < 2; ++part) {
    for (std::int32_t& sum : sums) {
      const auto bits = static_cast<std::int32_t>(random.bits16() << 16 | random.bits16());
      sum = bits >> random.between(1, 31);
      if (number == sum_cases - 1) sum = part == 1 ? 0 : static_cast<std::int32_t>(port_check::nearly_two[0] * 0x1p23F);
    }
    detail::ValueSums{y, count, part == 0, part == 1}.add(sums, scale[0]);
  }
  found.add(std::span(y, count));
}

constexpr Step steps[] = {
    {"norms", 420, normalize},
    {"add_row", 142, add},
    {"multiply_row", multiply_cases, multiply},
    {"ValueSums", sum_cases, sum_values},
};

}  // namespace

std::span<const Step> norm_steps() {
  return steps;
}

}  // namespace heed::test
