// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed {

/// Every arena starts on this boundary and every region inside it too: one cache line, and the widest vector.
inline constexpr std::size_t arena_alignment = 64;

/// Memory of a size known at compile time. As a static object it lies in .bss.
template <std::size_t Bytes>
struct StaticArena {
  alignas(arena_alignment) std::byte bytes[Bytes];

  [[nodiscard]] constexpr std::span<std::byte> span() noexcept { return {bytes, Bytes}; }
  [[nodiscard]] constexpr std::span<const std::byte> span() const noexcept { return {bytes, Bytes}; }
  constexpr operator std::span<std::byte>() noexcept { return span(); }
  constexpr operator std::span<const std::byte>() const noexcept { return span(); }
};

/// A named part of an arena: `bytes` bytes, `offset` bytes behind its start.
struct Region {
  const char* name = nullptr;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;

  friend constexpr bool operator==(const Region& a, const Region& b) noexcept {
    return a.offset == b.offset && a.bytes == b.bytes;
  }
};

}  // namespace heed
