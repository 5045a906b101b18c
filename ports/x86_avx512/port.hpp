// SPDX-License-Identifier: MIT
//
// x86-64 with AVX-512 (F, BW, DQ, VL).
#pragma once

#include <x86_avx512_lanes.hpp>

namespace heed::port {
inline namespace heed_own_code {

inline constexpr const char* name = "x86_avx512";

}  // namespace heed_own_code
}  // namespace heed::port
