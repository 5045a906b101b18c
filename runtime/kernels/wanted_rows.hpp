// SPDX-License-Identifier: MIT
//
// More rows at a time than a plan counts.
#pragma once

#include <cstdint>

namespace heed::detail {

/// Rows that products of integers gain by having at once, where the scratch of a call has room for more than its plan
/// counts on; 0: a plan's rows will do. Where it is not 0, round_all_rows() may write a row from 16 bytes before its
/// floats on.
inline constexpr std::uint32_t wanted_rows = 0;

}  // namespace heed::detail
