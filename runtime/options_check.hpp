// SPDX-License-Identifier: MIT
#pragma once

#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// Everything that attend() refuses about its options.
[[nodiscard]] Status check_options(const AttentionConfig& config, const AttentionInputs& inputs,
                                   const AttentionOptions& options) noexcept;

}  // namespace heed::detail
