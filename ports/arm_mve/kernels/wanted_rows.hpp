// SPDX-License-Identifier: MIT
#pragma once

#include "../detail/many_rows.hpp"

namespace heed::detail {

/// What the weights of a product are loaded once for.
inline constexpr std::uint32_t wanted_rows = has_loops_of_many_rows ? most_many_rows : 0;

}  // namespace heed::detail
