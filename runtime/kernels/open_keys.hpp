// SPDX-License-Identifier: MIT
//
// What a bool mask leaves of a key block, for ports that look at all of its keys at once.
#pragma once

#include <cstdint>

#include "common/key_range.hpp"

namespace heed::detail {

/// Whether open_keys() does something; without it a mask is looked at from both ends, and then between.
inline constexpr bool has_open_keys = false;

/// The keys of a key block without the closed ones at its ends, empty if all are closed; `hole` becomes true if one
/// between them is closed. `mask` has `block_keys` bytes, of which 0 is closed, or as many bits, the lowest first.
constexpr KeyRange open_keys(const std::uint8_t* /*mask*/, bool /*bytes*/, bool& /*hole*/) noexcept {
  return {};
}

}  // namespace heed::detail
