// SPDX-License-Identifier: MIT
//
// Products with weights in few bits, once for every format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/quantized_tile.hpp>

#include "format/format.hpp"

namespace heed::detail {

/// Rows whose weights are dequantized in registers. One row uses each weight once, which is never worth a write.
inline constexpr std::uint32_t rows_in_registers = quantized_tile_rows == 0 ? 1 : quantized_tile_rows;

void quantized_linear(const Format& format, const LinearShare& share) noexcept;

}  // namespace heed::detail
