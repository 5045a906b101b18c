// SPDX-License-Identifier: MIT
//
// Rounding of floats to integers whose scales are float16, in groups.
#pragma once

#include <cstdint>

#include "format/quantize.hpp"

namespace heed::detail {

/// Stores `count` floats as q in -127..127, and for each scale_group_size of them, the last of which may be fewer, a
/// scale. NaN, infinity or a scale beyond float16 makes the scale NaN and every q of the group 0.
void store_int8_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept;

/// The same with q in -8..7.
void store_int4_groups(const float* from, std::uint32_t count, const StoredRow& row) noexcept;

}  // namespace heed::detail
