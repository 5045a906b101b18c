// SPDX-License-Identifier: MIT
//
// What a bool mask does to a key block's scores, for ports that close all of its keys at once.
#pragma once

#include <cstdint>

#include "common/key_range.hpp"

namespace heed::detail {

/// Whether close_columns() does something; without it sixteen keys of a row are a number that loses its bits.
inline constexpr bool has_close_columns = false;

/// scores [block_keys, 16] of the keys `keys` become -inf in lane r where masks[r] closes the key: a byte of 0, or a
/// bit of 0, the lowest first. Lanes from `rows` on are left to the port. `words` is room for 64 floats.
constexpr void close_columns(const std::uint8_t* const* /*masks*/, std::uint32_t /*rows*/, bool /*bytes*/,
                             KeyRange /*keys*/, float* /*scores*/, float* /*words*/) noexcept {}

}  // namespace heed::detail
