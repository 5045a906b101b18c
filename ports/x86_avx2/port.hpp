// SPDX-License-Identifier: MIT
//
// x86-64 with AVX2, FMA and F16C.
#pragma once

#include <x86_avx2_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "x86_avx2";

}  // namespace heed_own_code
}  // namespace heed::port
