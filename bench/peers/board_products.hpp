// SPDX-License-Identifier: MIT
//
// What products of int8 by int8 take on a board, counted there, and what they cannot go below.
#pragma once

#include <board.h>

#include <cstddef>
#include <cstdint>
#include <product_limits.hpp>
#include <span>

#include "heed/arena.hpp"
#include "heed/linear.hpp"

namespace heed::bench {

/// Numbers in -127..127, as weights of one scale are.
class RandomBytes {
 public:
  [[nodiscard]] std::int8_t operator()() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<std::int8_t>(static_cast<std::int32_t>(state_ >> 8) % 255 - 127);
  }

 private:
  std::uint32_t state_ = 1;
};

/// `products` is a power of two, so that nothing is divided.
inline void report(const char* name, std::uint64_t count, std::uint32_t products) {
  int shift = 0;
  while (products >> shift != 1) ++shift;
  board_print(name);
  board_print(": ");
  board_print_number(count);
  board_print(" instructions, in ten-thousandths per multiplication ");
  board_print_number((count * 10000) >> shift);
  board_print("\n");
}

/// Memory for products of some rows with `inputs` numbers each, and their figures.
template <std::uint32_t most_rows, std::uint32_t inputs, std::uint32_t most_outputs>
struct BoardProducts {
  std::int8_t weights[most_outputs * inputs];
  float scales[most_outputs];
  float rows_of_floats[most_rows * inputs];
  float outputs_of_floats[most_rows * most_outputs];
  alignas(arena_alignment) std::byte packed[most_outputs * (inputs + sizeof(float))];
  alignas(arena_alignment) std::byte scratch[most_rows * (2 * inputs + 512)];

  void fill() {
    RandomBytes random;
    for (std::int8_t& weight : weights) weight = random();
    for (float& number : rows_of_floats) number = random();
    for (float& scale : scales) scale = 1.0F;
  }

  [[nodiscard]] bool measure(std::uint32_t rows, std::uint32_t outputs, const char* name) {
    LinearPlan plan;
    const LinearConfig config{
        .inputs = inputs, .outputs = outputs, .type = DataType::int8, .bias = false, .row_type = DataType::int8};
    const auto room = std::span(packed);
    if (make_plan(config, plan) != Status::ok || plan.bytes > room.size()) return false;
    if (pack_linear_quantized(plan, weights, nullptr, scales, nullptr, room.first(plan.bytes)) != Status::ok) {
      return false;
    }
    const std::uint64_t start = board_count();
    const Status status =
        linear(plan, {room.first(plan.bytes), &int8_integer_weights}, rows,
               dense<const float>(rows_of_floats, rows, inputs), dense(outputs_of_floats, rows, outputs), scratch);
    if (status != Status::ok) return false;
    report(name, board_count() - start, rows * inputs * outputs);
    return true;
  }

  /// What heed's layout cannot go below, where that is known.
  void measure_limit(std::uint32_t rows, std::uint32_t outputs, const char* name) {
    const std::uint64_t start = board_count() - of_loops;
    if (!take_least(rows, inputs, outputs, scratch)) return;
    report(name, board_count() - of_loops - start, rows * inputs * outputs);
  }
};

}  // namespace heed::bench
