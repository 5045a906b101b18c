// SPDX-License-Identifier: MIT
//
// Products of many rows of 8 bits, of 64 or 256 inputs, with all outputs of some panels of int8: the weights of two
// outputs are loaded, and their bias taken off, once for all rows, and as many as there are registers for stay there
// while the rows go by, four at a time. Sixteen products take 1.6 or 1.76 instructions and what the weights take, where
// four rows by themselves take 2.1.
#pragma once

#include <arm_mve.h>

#include <cstddef>
#include <cstdint>
#include <kernels/integer_row.hpp>

#include "byte_tiles.hpp"
#include "common/kernel_contract.hpp"
#include "heed/detail/rounded_row.hpp"
#include "integer_tiles.hpp"
#include "many_row_loops.hpp"

namespace heed::detail {

/// Rows that are taken at once, at most, those of a tile of attention, and those for which it pays.
inline constexpr std::uint32_t most_many_rows = 36;
inline constexpr std::uint32_t tile_many_rows = 12;
inline constexpr std::uint32_t least_many_rows = 9;

/// How many rows of a product multiply_many_rows() takes next; 0 for all that better goes another way.
[[nodiscard]] inline std::uint32_t many_rows_of(const MatrixProduct& product) noexcept {
  if (!has_loops_of_many_rows || product.count < least_many_rows || product.outputs % outputs_of_many != 0) return 0;
  const bool near = product.inputs == 64 && product.row_bytes == rounded_row_bytes(64);
  if (!near && product.inputs != 256) return 0;
  return product.count < most_many_rows ? product.count : most_many_rows;
}
static_assert(rounded_row_bytes(64) == 192);

/// The last four of `count` rows begin where four are left: some may be taken twice.
inline void begin_many_rows(const MatrixProduct& product, std::uint32_t count, bool near, ManyRows& rows) noexcept {
  const std::uint32_t fours = (count + 3) / 4;
  rows.fours = fours;
  rows.fours_bytes = fours * std::uint32_t{sizeof(FourSums)};
#pragma GCC unroll 1
  for (std::uint32_t four = 0; four < fours; ++four) {
    const std::uint32_t first = count - 4 < 4 * four ? count - 4 : 4 * four;
    const std::byte* row = product.rows + first * product.row_bytes;
    float* y = product.y + static_cast<std::ptrdiff_t>(first) * product.y_row;
    FourSums* const to = rows.sums + four;
    FourOutputs& outputs = rows.outputs[four];
    // Of rows of 64 inputs, the loops read the first address alone.
    const std::byte* const x = row + row_numbers_at + (near ? product.row_bytes : 0);
#pragma GCC unroll 4
    for (std::uint32_t r = 0; r < 4; ++r, row += product.row_bytes, y += product.y_row) {
      outputs.y[r] = y;
      outputs.scale[r] = *reinterpret_cast<const float*>(row);
    }
#pragma GCC unroll 1
    for (std::uint32_t pair = 0; pair < outputs_of_many / 2; ++pair) {
      const std::byte** const rows_of_pair = to[pair * fours].x;
      rows_of_pair[0] = x;
      if (near) continue;
      for (std::uint32_t r = 1; r < 4; ++r) rows_of_pair[r] = x + r * product.row_bytes;
    }
  }
#pragma GCC unroll 1
  for (std::uint32_t pair = 0; pair < outputs_of_many / 2; ++pair) {
    const auto sums = reinterpret_cast<std::uintptr_t>(rows.sums[pair * fours].sums) - sizeof(FourSums);
    rows.sums_at[pair / 2][pair % 2 * 2] = sums;
    rows.sums_at[pair / 2][pair % 2 * 2 + 1] = 0;
  }
}

/// The first `count` rows, as many_rows_of() says.
[[gnu::noinline]] inline void multiply_many_rows(const MatrixProduct& product, const float* bias,
                                                 std::uint32_t bias_step, std::uint32_t count,
                                                 ManyRows& rows) noexcept {
  const bool near = product.inputs == 64;
  begin_many_rows(product, count, near, rows);
  // From an output's first words to what WeightWords takes off and where `at` begins.
  vst1q_u32(rows.at, WeightWords(product.weights + 256 + (near ? 512 - 8 : 4096)).at);
  const float* scales = product.scales;
  const float* const end = scales + product.outputs;
  std::uint32_t within = 0;
#pragma GCC unroll 1
  for (; scales != end; scales += outputs_of_many) {
    rows.end = rows.sums;
    rows.pairs = outputs_of_many / 2;
    near ? sum_near_rows(rows) : sum_far_rows(rows);
    outputs_of_many_rows(rows, scales, bias + within);
    within = outputs_of_many - within;
    if (within != 0) continue;
    vst1q_u32(rows.at, vaddq_n_u32(vld1q_u32(rows.at), panel_width * (product.inputs - 4)));
    bias += bias_step;
  }
}

/// Likewise, with memory for so many rows.
template <std::uint32_t most>
[[gnu::noinline]] void multiply_many_rows(const MatrixProduct& product, const float* bias, std::uint32_t bias_step,
                                          std::uint32_t count) noexcept {
  FourSums sums[outputs_of_many / 2 * most / 4];
  FourOutputs outputs[most / 4];
  ManyRows rows;
  rows.sums = sums;
  rows.outputs = outputs;
  multiply_many_rows(product, bias, bias_step, count, rows);
}

}  // namespace heed::detail
