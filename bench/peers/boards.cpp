// SPDX-License-Identifier: MIT
//
// Products of int8 by int8 beside those of CMSIS-NN on a board, counted in its emulator: one row of 256 inputs and 256
// outputs, and 16 rows and 64 outputs. CMSIS-NN gives and takes rows of int8 with one scale, known beforehand; this
// library's rows are floats, which it rounds. On Helium, what its layout cannot go below is counted, too.
#include <arm_nnfunctions.h>
#include <arm_nnsupportfunctions.h>
#include <board.h>

#include <algorithm>
#include <cstdint>

#include "board_products.hpp"

namespace {

constexpr std::uint32_t inputs = 256;
constexpr std::uint32_t most_outputs = 256;
constexpr std::uint32_t most_rows = 16;
constexpr std::int32_t least = -128;
constexpr std::int32_t greatest = 127;
constexpr std::int32_t multiplier = 1518500250;  // sqrt(1/2) * 2^31: of a sum sqrt(1/2) / 2^8 is left
constexpr std::int32_t shift = -8;

std::int8_t rows_of_bytes[most_rows * inputs];
std::int8_t outputs_of_bytes[most_rows * most_outputs];
std::int32_t weight_sums[most_outputs];
std::int32_t biases[most_outputs];
std::int32_t multipliers[most_outputs];
std::int32_t shifts[most_outputs];

heed::bench::BoardProducts<most_rows, inputs, most_outputs> heed_products;
constexpr const auto& weights = heed_products.weights;

/// One row goes through the call for a layer, more rows through the product of matrices that convolutions use.
[[nodiscard]] bool multiply_with_cmsis(std::int32_t rows, std::int32_t outputs) {
  constexpr auto depth = static_cast<std::int32_t>(inputs);
  if (rows > 1) {
    return arm_nn_mat_mult_nt_t_s8(rows_of_bytes, weights, biases, outputs_of_bytes, multipliers, shifts, rows, outputs,
                                   depth, 0, 0, least, greatest, outputs, depth) == ARM_CMSIS_NN_SUCCESS;
  }
  const cmsis_nn_context sums{weight_sums, sizeof weight_sums};
  const cmsis_nn_fc_params parameters{0, 0, 0, {least, greatest}};
  const cmsis_nn_per_tensor_quant_params scale{multiplier, shift};
  const cmsis_nn_dims row_dims{1, 1, 1, depth};
  const cmsis_nn_dims weight_dims{depth, 1, 1, outputs};
  const cmsis_nn_dims output_dims{1, 1, 1, outputs};
  return arm_fully_connected_s8(&sums, &parameters, &scale, &row_dims, rows_of_bytes, &weight_dims, weights,
                                &output_dims, biases, &output_dims, outputs_of_bytes) == ARM_CMSIS_NN_SUCCESS;
}

[[nodiscard]] bool measure_cmsis(std::uint32_t rows, std::uint32_t outputs, const char* name) {
  const auto signed_outputs = static_cast<std::int32_t>(outputs);
  arm_vector_sum_s8(weight_sums, static_cast<std::int32_t>(inputs), signed_outputs, weights, 0, 0, biases);
  const std::uint64_t start = board_count();
  if (!multiply_with_cmsis(static_cast<std::int32_t>(rows), signed_outputs)) return false;
  heed::bench::report(name, board_count() - start, rows * inputs * outputs);
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t o = 0; o < outputs; ++o) {
      std::int64_t sum = 0;
      for (std::uint32_t i = 0; i < inputs; ++i) sum += rows_of_bytes[row * inputs + i] * weights[o * inputs + i];
      const auto expected =
          static_cast<std::int32_t>((sum * multiplier + (std::int64_t{1} << (30 - shift))) >> (31 - shift));
      const std::int32_t off = outputs_of_bytes[row * outputs + o] - std::clamp(expected, least, greatest);
      // It rounds twice.
      if (off < -1 || off > 1) return false;
    }
  }
  return true;
}

/// What a clip of KWT-1 cannot go below.
void measure_encoder_limit() {
  constexpr heed::bench::Encoder kwt1{.blocks = 12, .tokens = 99, .features = 40, .model_dim = 64, .mlp_dim = 256};
  const std::uint64_t start = board_count() - heed::bench::of_loops;
  if (!heed::bench::take_least_of_encoder(kwt1, heed_products.scratch)) return;
  board_print("limit, KWT-1: ");
  board_print_number(board_count() - heed::bench::of_loops - start);
  board_print(" instructions\n");
}

}  // namespace

int main() {
  heed_products.fill();
  heed::bench::RandomBytes random;
  for (std::int8_t& number : rows_of_bytes) number = random();
  for (std::uint32_t o = 0; o < most_outputs; ++o) {
    multipliers[o] = multiplier;
    shifts[o] = shift;
  }
  const bool good = measure_cmsis(1, 256, "CMSIS-NN, one row") && heed_products.measure(1, 256, "heed, one row") &&
                    measure_cmsis(16, 64, "CMSIS-NN, 16 rows") && heed_products.measure(16, 64, "heed, 16 rows");
  heed_products.measure_limit(1, 256, "limit, one row");
  heed_products.measure_limit(16, 64, "limit, 16 rows");
  measure_encoder_limit();
  if (!good) board_print("a product is wrong, or was refused\n");
  return good ? 0 : 1;
}
