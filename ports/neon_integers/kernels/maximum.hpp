// SPDX-License-Identifier: MIT
#pragma once

namespace heed::detail {

/// Whether port::max() and port::maximum() are NaN if any of the numbers is: NEON's are.
inline constexpr bool maximum_keeps_nan = true;

}  // namespace heed::detail
