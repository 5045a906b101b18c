// SPDX-License-Identifier: MIT
//
// Whole products of one row, or of a few, and several panels of weights, as a layer of integers has them.
#include <cstddef>
#include <cstdint>
#include <kernels/integer_sums.hpp>
#include <kernels/row_pairs.hpp>

#include "common/integer_product.hpp"
#include "format/format.hpp"
#include "ports/integer_room.hpp"
#include "product/integer_linear.hpp"
#include "product/linear.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::most_inputs;
using port_check::row_bytes;
using port_check::Step;

constexpr std::uint32_t most_panels = 8;
constexpr std::uint32_t most_linear_inputs = most_inputs / most_panels / 8 * 8;
constexpr std::uint32_t most_linear_rows = 3;
constexpr std::size_t scales_at = most_linear_rows * row_bytes;
constexpr std::size_t bias_at = scales_at + std::size_t{most_panels} * panel_width * 16;

[[nodiscard]] std::size_t in_room(const void* place) {
  return static_cast<std::size_t>(static_cast<const std::byte*>(place) - reinterpret_cast<const std::byte*>(&room()));
}

/// The scales of panels, each with the multipliers of its groups after it, and biases.
void store_scales(const LinearPlan& plan, const float* random) {
  const auto panel_bytes = static_cast<std::size_t>(detail::panel_scale_bytes(plan.type, plan.inputs));
  const std::int8_t* multipliers = room().multipliers;
  for (std::uint32_t panel = 0; panel < most_panels; ++panel) {
    std::byte* const to = room().rows + scales_at + panel * panel_bytes;
    for (std::uint32_t i = 0; i < panel_width; ++i) reinterpret_cast<float*>(to)[i] = random[panel * panel_width + i];
    auto* const after = reinterpret_cast<std::int8_t*>(to + panel_width * sizeof(float));
    for (std::size_t i = 0; i < panel_bytes - panel_width * sizeof(float); ++i) after[i] = *multipliers++;
  }
  auto* const bias = reinterpret_cast<float*>(room().rows + bias_at);
  for (std::uint32_t i = 0; i < most_panels * panel_width; ++i) bias[i] = random[i] - random[i + 1];
}

/// Panels that are whole, or the last one of which is not; of all of them or from some on.
template <DataType weights, DataType rows>
void multiply(std::uint32_t number, Found& found) {
  Numbers random(number);
  fill_weights<weights>(random, number % 5);
  random.fill(room().x, 1.0F);
  const std::uint32_t panels = random.between(5, most_panels);
  LinearPlan plan{.inputs = random.between(1, most_linear_inputs),
                  .outputs = panels * panel_width - (number % 3 == 0 ? 13 : 0),
                  .type = weights,
                  .row_type = rows};
  plan.row_bytes = row_bytes;
  plan.weights.offset = in_room(room().weights);
  plan.scales.offset = in_room(room().rows) + scales_at;
  plan.bias.offset = in_room(room().rows) + bias_at;
  plan.bias.bytes = number % 2 == 0 ? std::size_t{panels} * panel_width * sizeof(float) : 0;
  store_scales(plan, room().x + most_linear_inputs);
  const std::uint32_t count = number % 4 == 3 ? most_linear_rows : 1;
  for (std::uint32_t row = 0; row < count; ++row) {
    detail::round_row(detail::store_row<weights, rows>, detail::most_of_rows<rows>, room().x + row, plan.inputs,
                      row_bytes, room().rows + row * row_bytes, number % 7 == 6 ? 0.0F : 1.0F);
  }
  detail::join_product_rows<weights, rows>(room().rows, row_bytes, count, plan.inputs);
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
                                  .staging = reinterpret_cast<float*>(room().rows),
                                  .rows = count,
                                  .first = number % 5 == 4 ? 1U : 0U,
                                  .end = panels});
  found.add(y);
}

constexpr std::uint32_t cases = 15;

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
};

}  // namespace

std::span<const Step> linear_steps() {
  return steps;
}

}  // namespace heed::test
