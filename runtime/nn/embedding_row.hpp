// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/linear.hpp"

namespace heed::detail {

/// The weights [inputs] of one output, as floats: a row of an embedding table.
void load_embedding_row(const LinearPlan& plan, const std::byte* packed, const Format* format, std::uint32_t output,
                        float* to) noexcept;

}  // namespace heed::detail
