// SPDX-License-Identifier: MIT
//
// The sums of riscv_f; rows of bytes meet weights of 4 bits in assembly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <riscv_f/kernels/integer_sums.hpp>

#include "../detail/sums_of_nibbles.hpp"
#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

template <>
inline void integer_sums<DataType::int4_multipliers, DataType::int8>(const IntegerProduct& product) noexcept {
  NibbleRun run{product.weights,
                product.row(0) + row_numbers_at + product.first / scale_group_size * run_bytes(scale_group_size),
                product.multipliers, product.inputs / 8};
  std::int32_t* sums = product.sums;
  for (std::uint32_t left = product.rows; left != 0; --left, run.row += product.row_bytes, sums += panel_width) {
    for (std::uint32_t i = 0; i < panel_width; ++i) sums[i] = 0;
    NibbleRun part = run;
    six_sums_of_nibbles(&part, sums);
    part.weights += 24;
    part.multipliers += 6;
    six_sums_of_nibbles(&part, sums + 6);
    part.weights += 24;
    part.multipliers += 6;
    four_sums_of_nibbles(&part, sums + 12);
  }
}

}  // namespace heed::detail
