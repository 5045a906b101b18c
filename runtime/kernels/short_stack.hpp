// SPDX-License-Identifier: MIT
#pragma once

namespace heed::detail {

/// Whether attention in integers gives up a few calls' instructions for stack: sums over values are those of one row at
/// a time, which lie where its weights were, and what has large frames is called, not inlined.
inline constexpr bool stack_is_short = false;

}  // namespace heed::detail
