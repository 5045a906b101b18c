// SPDX-License-Identifier: MIT
//
// Asking for memory ahead, with the compiler's own hint: what the ports share whose CPUs have one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr bool prefetches = true;

namespace detail {

/// Not through the pointer, whose arithmetic is undefined outside of its array.
[[gnu::always_inline]] inline const void* address(const float* from, std::ptrdiff_t offset) noexcept {
  const auto distance = static_cast<std::uintptr_t>(offset) * sizeof(float);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) + distance);
}

}  // namespace detail

/// A hint that what lies `offset` floats after `from` will be read soon. Nothing is read: any address will do.
[[gnu::always_inline]] inline void prefetch(const float* from, std::ptrdiff_t offset) noexcept {
  __builtin_prefetch(detail::address(from, offset), 0, 3);
}

/// The same for what is read later, into a cache beyond the first.
[[gnu::always_inline]] inline void prefetch_far(const float* from, std::ptrdiff_t offset) noexcept {
  __builtin_prefetch(detail::address(from, offset), 0, 2);
}

}  // namespace heed_own_code
}  // namespace heed::port
