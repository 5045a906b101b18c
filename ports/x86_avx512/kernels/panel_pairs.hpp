// SPDX-License-Identifier: MIT
#pragma once

namespace heed::detail {

/// Two panels and twelve rows take 14 loads for 24 products; and of rows 4 KiB apart, which share a set of the
/// first-level cache, its twelve ways hold as many.
inline constexpr int panels_at_once = 2;
inline constexpr int pair_rows = 12;

}  // namespace heed::detail
