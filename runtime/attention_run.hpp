// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "heed/attention.hpp"

namespace heed::detail {

/// Everything that attend() refuses, apart from the arena.
[[nodiscard]] Status check_attention(const AttentionPlan& plan, const AttentionInputs& inputs,
                                     const AttentionOutputs& outputs) noexcept;

/// attend() after its checks. `log_sum_exp_head` is the stride from head to head of that output.
void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept;

}  // namespace heed::detail
