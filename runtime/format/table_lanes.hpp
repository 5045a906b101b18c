// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::detail {

/// Format::dequantize_lane() of weights whose rows are integers.
using DequantizeLane = void(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                            float* to) noexcept;
DequantizeLane int8_lane;
DequantizeLane int8_multiplier_lane;
DequantizeLane int4_multiplier_lane;

}  // namespace heed::detail
