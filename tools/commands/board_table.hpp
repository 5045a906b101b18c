// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace heed::tools {

/// Memories in bytes; a board without flash for models has them in its RAM.
struct Board {
  const char* name;
  std::uint64_t models;
  std::uint64_t ram;
  std::uint64_t stack;  ///< of the RAM
};

/// The boards of ports/boards, from their linker scripts.
[[nodiscard]] std::span<const Board> boards();

}  // namespace heed::tools
