// SPDX-License-Identifier: MIT
//
// What a program allocates, counted by its own operators new and delete.
#pragma once

#include <cstddef>

namespace heed::test::fuzz {

/// Bytes that are allocated now.
[[nodiscard]] std::size_t allocated_bytes();

/// The most there have been since the call before.
[[nodiscard]] std::size_t peak_bytes();

}  // namespace heed::test::fuzz
