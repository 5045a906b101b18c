// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

struct KeyReader;

/// A validated call, with everything that its tiles share.
struct AttentionRun {
  const AttentionPlan* plan;
  const KeyReader* reader;
  const AttentionInputs* inputs;
  const AttentionOutputs* outputs;
  const AttentionOptions* options = nullptr;  ///< null: none
  float query_factor;                         ///< scale * log2(e): scores are in units of ln 2
  std::size_t log_sum_exp_head;               ///< stride of that output from head to head
  std::uint32_t heads_per_kv_head;            ///< query heads of a key head
  std::uint32_t rows;        ///< query rows of a key head: row = query * heads_per_kv_head + head among those
  std::uint32_t head_tiles;  ///< tiles of a key head: rows / tile_rows_of(plan), rounded up
  std::uint32_t tiles;       ///< of the whole call
};

/// `log_sum_exp_head` is the stride from head to head of that output.
[[nodiscard]] AttentionRun make_run(const AttentionPlan& plan, const KeyReader* reader, const AttentionInputs& inputs,
                                    const AttentionOutputs& outputs, std::size_t log_sum_exp_head) noexcept;

/// attend() after its checks.
void run_attention(const AttentionPlan& plan, std::byte* arena, const KeyReader* reader, const AttentionInputs& inputs,
                   const AttentionOutputs& outputs, std::size_t log_sum_exp_head, const Executor& executor) noexcept;
void run_attention(const AttentionPlan& plan, std::byte* arena, const KeyReader* reader, const AttentionInputs& inputs,
                   const AttentionOptions& options, const AttentionOutputs& outputs, std::size_t log_sum_exp_head,
                   const Executor& executor) noexcept;

}  // namespace heed::detail
