// SPDX-License-Identifier: MIT
//
// Whole products of one row, or of a few, and several panels of weights, as a layer of integers has them.
#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <kernels/row_magnitude.hpp>
#include <kernels/row_pairs.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "ports/integer_room.hpp"
#include "ports/odd_numbers.hpp"
#include "product/integer_linear.hpp"
#include "product/linear.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::most_groups;
using port_check::most_inputs;
using port_check::row_bytes;
using port_check::Step;

constexpr std::uint32_t most_panels = 8;
constexpr std::uint32_t most_linear_inputs = most_inputs / most_panels / 8 * 8;
constexpr std::uint32_t most_linear_rows = 3;
constexpr std::uint32_t most_tampered_inputs = 40;

// One row of more inputs than a block has meets four panels; weights that have no room go on where rows would be.
constexpr std::uint32_t long_panels = 4;
constexpr std::uint32_t most_long_inputs = 1024 + 40;
constexpr std::size_t long_bytes = std::size_t{most_long_inputs} * panel_width * long_panels;
constexpr std::size_t weights_period = sizeof port_check::integer_room.weights - 32;

[[nodiscard]] std::size_t in_room(const void* place) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(place) - reinterpret_cast<const std::byte*>(&room()));
}

/// The scales of panels, each with the multipliers of its groups after it, and biases after them all.
void store_scales(LinearPlan& plan, std::byte* to, const float* random) {
  const auto panel_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  plan.scales.offset = in_room(to);
  const std::uint32_t panels = (plan.outputs + panel_width - 1) / panel_width;
  std::size_t at = 0;
  for (std::uint32_t panel = 0; panel < panels; ++panel, to += panel_bytes) {
    for (std::uint32_t i = 0; i < panel_width; ++i) reinterpret_cast<float*>(to)[i] = random[panel * panel_width + i];
    for (std::size_t i = panel_width * sizeof(float); i < panel_bytes; ++i) {
      to[i] = static_cast<std::byte>(room().multipliers[at++ % sizeof room().multipliers]);
    }
  }
  plan.bias.offset = in_room(to);
  auto* const bias = reinterpret_cast<float*>(to);
  for (std::uint32_t i = 0; i < panels * panel_width; ++i) bias[i] = random[i] - random[i + 1];
}

/// Weights for `long_bytes`; returns where what comes after them may be.
std::byte* lengthen_weights() {
  std::byte* const weights = port_check::hidden(reinterpret_cast<std::byte*>(&room()) + in_room(room().weights));
  for (std::size_t i = sizeof room().weights; i < long_bytes; ++i) weights[i] = weights[i - weights_period];
  return weights + long_bytes;
}
static_assert(long_bytes % 64 == 0);
static_assert(long_bytes + row_bytes + long_panels * (most_groups + 8) * panel_width <=
              offsetof(port_check::IntegerRoom, multipliers));

enum class Layer : std::uint8_t { plain, of_long_rows, tampered };

/// What weights made by others may be: numbers of any bits, and odd scales; some of what a row holds is odd, too.
void tamper(Numbers& random, std::uint32_t number) {
  fill_any_bits(random, std::size_t{most_tampered_inputs} * panel_width * 2);
  constexpr std::uint32_t scales = 8 * panel_width + 1;
  spoil(random, std::span(room().x).last(scales), number % 3 == 0 ? 2 : 8);
  if (number % 4 == 3) spoil(random, std::span(room().x).first(48), 16);
}

/// Panels that are whole, or the last one of which is not; of all of them or from some on.
template <DataType weights, DataType rows, Layer layer = Layer::plain>
void multiply(std::uint32_t number, Found& found) {
  constexpr bool is_long = layer == Layer::of_long_rows;
  constexpr bool tampered = layer == Layer::tampered;
  Numbers random(number);
  if (!tampered) fill_weights<weights>(random, number % 5);
  random.fill(room().x, 1.0F);
  if (tampered) tamper(random, number);
  const std::uint32_t panels = is_long ? long_panels : tampered ? 1 + number % 2 : random.between(5, most_panels);
  std::byte* const to = is_long ? lengthen_weights() : room().rows;
  constexpr std::uint32_t most_short_inputs = tampered ? most_tampered_inputs : most_linear_inputs;
  LinearPlan plan{.inputs = is_long ? random.between(1025, most_long_inputs) : random.between(1, most_short_inputs),
                  .outputs = panels * panel_width - (number % 3 == 0 ? 13 : 0),
                  .type = weights,
                  .row_type = rows};
  plan.row_bytes = row_bytes;
  plan.weights.offset = in_room(room().weights);
  plan.bias.bytes = number % 2 == 0 ? std::size_t{panels} * panel_width * sizeof(float) : 0;
  store_scales(plan, to + (is_long ? 1 : most_linear_rows) * row_bytes, room().x + most_inputs - 8 * panel_width - 1);
  const std::uint32_t count = number % 4 == 3 ? most_linear_rows : 1;
  for (std::uint32_t row = 0; row < count; ++row) {
    const float* const x = room().x + row;
    const float greatest = tampered ? detail::row_magnitude(x, plan.inputs) : number % 7 == 6 ? 0.0F : 1.0F;
    detail::round_row(detail::store_row<weights, rows>, detail::most_of_rows<rows>, x, plan.inputs, row_bytes,
                      to + row * row_bytes, greatest);
  }
  detail::join_product_rows<weights, rows>(to, row_bytes, count, plan.inputs);
  const std::span<float> y = std::span(room().y).first(std::size_t{count} * most_panels * panel_width);
  random.fill(y, 1.0F);
  const Format format{.type = weights,
                      .multiply_panels = nullptr,
                      .dequantize_panel = nullptr,
                      .int8_sums = detail::integer_sums<weights, DataType::int8>,
                      .int16_sums = detail::integer_sums<weights, DataType::int16>,
                      .int16_factor = static_cast<float>(1 << detail::group_shift<weights, DataType::int16>)};
  detail::integer_linear(format, {.plan = plan,
                                  .packed = reinterpret_cast<const std::byte*>(&room()),
                                  .x = {},
                                  .y = {y.data(), most_panels * panel_width},
                                  .staging = reinterpret_cast<float*>(to),
                                  .rows = count,
                                  .first = number % 5 == 4 && panels > 1 ? 1U : 0U,
                                  .end = panels});
  found.add(y);
}

constexpr std::uint32_t cases = 15;
constexpr std::uint32_t long_cases = 3;
constexpr std::uint32_t tampered_cases = 500;

constexpr Step steps[] = {
    {"panels of int8 weights and a row of int8", cases, multiply<DataType::int8, DataType::int8>},
    {"panels of int8 weights and a row of int16", cases, multiply<DataType::int8, DataType::int16>},
    {"panels of int8 weights with multipliers and a row of int8", cases,
     multiply<DataType::int8_multipliers, DataType::int8>},
    {"panels of int8 weights with multipliers and a row of int16", cases,
     multiply<DataType::int8_multipliers, DataType::int16>},
    {"panels of int4 weights with multipliers and a row of int8", cases,
     multiply<DataType::int4_multipliers, DataType::int8>},
    {"panels of int4 weights with multipliers and a row of int16", cases,
     multiply<DataType::int4_multipliers, DataType::int16>},
    {"panels of int8 weights and a long row of int8", long_cases,
     multiply<DataType::int8, DataType::int8, Layer::of_long_rows>},
    {"panels of int8 weights and a long row of int16", long_cases,
     multiply<DataType::int8, DataType::int16, Layer::of_long_rows>},
    {"panels of int8 weights with multipliers and a long row of int8", long_cases,
     multiply<DataType::int8_multipliers, DataType::int8, Layer::of_long_rows>},
    {"panels of int8 weights with multipliers and a long row of int16", long_cases,
     multiply<DataType::int8_multipliers, DataType::int16, Layer::of_long_rows>},
    {"panels of int4 weights with multipliers and a long row of int8", long_cases,
     multiply<DataType::int4_multipliers, DataType::int8, Layer::of_long_rows>},
    {"panels of int4 weights with multipliers and a long row of int16", long_cases,
     multiply<DataType::int4_multipliers, DataType::int16, Layer::of_long_rows>},
    {"tampered panels of int8 weights and rows of int8", tampered_cases,
     multiply<DataType::int8, DataType::int8, Layer::tampered>},
    {"tampered panels of int8 weights and rows of int16", tampered_cases,
     multiply<DataType::int8, DataType::int16, Layer::tampered>},
    {"tampered panels of int8 weights with multipliers and rows of int8", tampered_cases,
     multiply<DataType::int8_multipliers, DataType::int8, Layer::tampered>},
    {"tampered panels of int8 weights with multipliers and rows of int16", tampered_cases,
     multiply<DataType::int8_multipliers, DataType::int16, Layer::tampered>},
    {"tampered panels of int4 weights with multipliers and rows of int8", tampered_cases,
     multiply<DataType::int4_multipliers, DataType::int8, Layer::tampered>},
    {"tampered panels of int4 weights with multipliers and rows of int16", tampered_cases,
     multiply<DataType::int4_multipliers, DataType::int16, Layer::tampered>},
};

}  // namespace

std::span<const Step> linear_steps() {
  return steps;
}

}  // namespace heed::test
