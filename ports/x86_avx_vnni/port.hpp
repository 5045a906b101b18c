// SPDX-License-Identifier: MIT
//
// x86-64 with AVX2, FMA, F16C and products of integers (AVX-VNNI).
#pragma once

#include <x86_avx2_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "x86_avx_vnni";

}  // namespace heed_own_code
}  // namespace heed::port
