// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/integer_matrix.hpp>

#include "../detail/sums_of_groups.hpp"
#include "common/kernel_contract.hpp"
#include "heed/format.hpp"

namespace heed::detail {

inline constexpr bool has_grouped_matrix = true;

/// A matrix of int4_multipliers, panel by panel, as BytePanels.
struct GroupedPanels {
  static constexpr std::uint32_t word = 8;

  [[gnu::always_inline]] static void sum(const std::byte* weights, const float* scales, const std::byte* numbers,
                                         std::uint32_t words, std::uint32_t outputs, std::int32_t* sums) noexcept {
    sums_of_groups(weights, numbers, reinterpret_cast<const std::int8_t*>(scales + panel_width), words, sums, outputs);
  }

  [[gnu::always_inline]] static std::size_t bytes(std::uint32_t inputs) noexcept {
    return std::size_t{inputs} * panel_width / 2;
  }
  [[gnu::always_inline]] static std::size_t scales(std::uint32_t inputs) noexcept {
    const std::size_t groups = (inputs + scale_group_size - 1) / scale_group_size;
    return panel_width + groups * (panel_width / sizeof(float));
  }
};

inline void multiply_grouped_matrix(MatrixProduct product) noexcept {
  for (; product.count != 0; --product.count, product.rows += product.row_bytes, product.y += product.y_row) {
    multiply_matrix_row<GroupedPanels>(product);
  }
}

}  // namespace heed::detail
