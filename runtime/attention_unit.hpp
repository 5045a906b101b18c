// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/attention.hpp"
#include "key_block.hpp"

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

[[nodiscard]] KeysAndValues keys_and_values(const AttentionRun& run, std::uint32_t batch,
                                            std::uint32_t kv_head) noexcept;

/// The keys that a query sees: the one place where structural masks are decided.
[[nodiscard]] KeyRange visible_keys(const AttentionRun& run, std::uint32_t length, std::uint32_t query) noexcept;

/// Computes plan.unit_rows query rows of one batch entry and key head in one worker's scratch.
/// unit < batch * kv_heads * row_units.
void run_unit(const AttentionRun& run, std::uint32_t unit, std::byte* scratch) noexcept;

}  // namespace heed::detail
