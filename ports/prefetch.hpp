// SPDX-License-Identifier: MIT
//
// Asking for memory ahead, with the compiler's own hint: what the ports share whose CPUs have one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr bool prefetches = true;

/// The caches that a hint can ask for, as the compiler numbers them.
enum class CacheLevel { second = 2, first = 3 };

/// A hint that what lies `offset` floats behind `from` will be read soon. Nothing is read: any address will do.
template <CacheLevel Level = CacheLevel::first>
[[gnu::always_inline]] inline void prefetch(const float* from, std::ptrdiff_t offset) noexcept {
  const auto distance = static_cast<std::uintptr_t>(offset) * sizeof(float);
  // Not through the pointer, whose arithmetic is undefined outside of its array:
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) + distance), 0,
                     static_cast<int>(Level));
}

}  // namespace heed_own_code
}  // namespace heed::port
