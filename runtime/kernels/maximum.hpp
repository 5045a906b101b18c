// SPDX-License-Identifier: MIT
#pragma once

namespace heed::detail {

/// Whether port::max() and port::maximum() are NaN if any of the numbers is.
inline constexpr bool maximum_keeps_nan = false;

}  // namespace heed::detail
