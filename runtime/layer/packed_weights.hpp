// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "heed/multi_head.hpp"

namespace heed::detail {

/// Whether the header of packed weights was written for this plan.
[[nodiscard]] bool weights_match(const MultiHeadPlan& plan, const std::byte* packed) noexcept;

}  // namespace heed::detail
