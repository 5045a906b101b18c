// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// A validated call, with everything that its units share.
struct AttentionRun {
  const AttentionPlan* plan;
  const AttentionInputs* inputs;
  const AttentionOutputs* outputs;
  float query_factor;            ///< scale * log2(e): scores are in units of ln 2
  std::size_t log_sum_exp_head;  ///< stride of that output from head to head
  std::uint32_t group;           ///< query heads per key head
  std::uint32_t rows;            ///< query rows per key head: queries * group, row = query * group + head in the group
  std::uint32_t row_units;       ///< rows / plan.unit_rows, rounded up
};

[[nodiscard]] AttentionRun make_run(const AttentionPlan& plan, const AttentionInputs& inputs,
                                    const AttentionOutputs& outputs, std::size_t log_sum_exp_head) noexcept;

/// attend() after its checks. `log_sum_exp_head` is the stride from head to head of that output.
void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept;
void run_attention(const AttentionPlan& plan, std::byte* arena, const AttentionInputs& inputs,
                   const AttentionOptions& options, const AttentionOutputs& outputs, std::size_t log_sum_exp_head,
                   const Executor& executor) noexcept;

}  // namespace heed::detail
