// SPDX-License-Identifier: MIT
//
// Sums of products of integers, eight outputs at a time: three instructions for each, and one for a number of the row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <detail/rows_at_once.hpp>
#include <detail/sums_of_bytes.hpp>
#include <detail/sums_of_nibbles.hpp>
#include <kernels/integer_row.hpp>
#include <port.hpp>

#include "../detail/integer_run.hpp"
#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

/// product.sums [product.rows, 16], from runs of so many inputs, whose sums are shifted before they are multiplied.
[[gnu::always_inline]] inline void add_runs(const IntegerProduct& product, IntegerRun* sums_of, std::uint32_t inputs,
                                            std::uint32_t word_inputs, int shift) noexcept {
  const bool multiplied = inputs == scale_group_size;
  const std::int32_t half = (1 << shift) / 2;
  for (std::uint32_t row = 0; row < product.rows; ++row) {
    for (std::uint32_t output = 0; output < panel_width; output += integer_outputs) {
      const std::byte* weights = product.weights + output * 4;
      const std::byte* run = product.row(row) + row_numbers_at + product.first / inputs * run_bytes(inputs);
      std::int32_t* const to = product.sums + row * panel_width + output;
      if (!multiplied) {
        sums_of(weights, run, product.inputs / word_inputs, to);
        continue;
      }
      const std::int8_t* multipliers = product.multipliers + output;
      for (std::uint32_t n = 0; n < integer_outputs; ++n) to[n] = 0;
      for (std::uint32_t left = product.inputs; left != 0;) {
        const std::uint32_t count = left < inputs ? left : inputs;
        std::int32_t sums[integer_outputs];
        sums_of(weights, run, count / word_inputs, sums);
        for (std::uint32_t n = 0; n < integer_outputs; ++n) to[n] += ((sums[n] + half) >> shift) * multipliers[n];
        multipliers += panel_width;
        weights += count / word_inputs * 64;
        run += run_bytes(inputs);
        left -= count;
      }
    }
  }
}

/// Of weights without multipliers, whose sums no one else touches; a panel's last outputs may not be wanted.
[[gnu::noinline]] inline void add_blocks(const IntegerProduct& product, std::uint32_t done) noexcept {
  const std::byte* run = product.row(done) + row_numbers_at + product.first / block_inputs * run_bytes(block_inputs);
  std::int32_t* to = product.sums + done * panel_width;
  const std::uint32_t words = product.inputs / 4;
  const std::uint32_t outputs = product.outputs;
  for (std::uint32_t left = product.rows - done; left != 0; --left, run += product.row_bytes, to += panel_width) {
    for (std::uint32_t output = 0; output < outputs; output += integer_outputs) {
      sums_of_bytes(product.weights + output * 4, run, words, to + output);
    }
  }
}

/// In code for size, one for all types.
[[gnu::noinline]] inline void add_any_runs(const IntegerProduct& product, IntegerRun* sums_of, std::uint32_t inputs,
                                           std::uint32_t word_inputs, int shift) noexcept {
  add_runs(product, sums_of, inputs, word_inputs, shift);
}

/// product.sums [product.rows, 16].
template <DataType weights, DataType rows>
void integer_sums(const IntegerProduct& product) noexcept {
  constexpr bool nibbles = weights == DataType::int4_multipliers;
  constexpr IntegerRun* sums_of = nibbles ? nibble_run<rows>() : sums_of_bytes;
  if constexpr (port::unrolled == 1 && weights == DataType::int8) {
    const std::uint32_t done = rows_at_once<rows>(product);
    if (done != product.rows) add_blocks(product, done);
  } else if constexpr (port::unrolled == 1) {
    add_any_runs(product, sums_of, run_inputs<weights>, nibbles ? 8 : 4, group_shift<weights, rows>);
  } else {
    add_runs(product, sums_of, run_inputs<weights>, nibbles ? 8 : 4, group_shift<weights, rows>);
  }
}

}  // namespace heed::detail
