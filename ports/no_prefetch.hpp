// SPDX-License-Identifier: MIT
//
// What ports share whose CPUs are given no hint to read memory ahead.
#pragma once

#include <cstddef>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr bool prefetches = false;
inline void prefetch(const float*, std::ptrdiff_t) noexcept {}
inline void prefetch_far(const float*, std::ptrdiff_t) noexcept {}

}  // namespace heed_own_code
}  // namespace heed::port
