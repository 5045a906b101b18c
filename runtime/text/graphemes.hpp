// SPDX-License-Identifier: MIT
//
// Characters as people see them: extended grapheme clusters of Unicode 17 (UAX #29).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed::detail {

/// Bytes of the cluster at the front of a text that is not empty, and begins with one.
[[nodiscard]] std::size_t first_grapheme(std::span<const char> text) noexcept;

}  // namespace heed::detail
