// SPDX-License-Identifier: MIT
//
// Two row groups that score a key block together, where a port multiplies two panels at once in less time than one
// after the other. The second one's scores stand where keys would be staged, so that a pair takes no more memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "attention/key_pass.hpp"
#include "attention/key_products.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Whether two groups may score a key block together: the second one's scores find room, which no keys are staged in.
[[nodiscard]] inline bool pairs_groups(const AttentionPlan& plan, const KeySource& source) noexcept {
  return plan.keys.bytes >= plan.scores.bytes && source.stored == nullptr;
}

/// Whether to score keys together that one group alone needs, too, costs less than to score twice.
[[nodiscard]] inline bool pays_as_pair(KeyRange a, KeyRange b, KeyRange both) noexcept {
  if (a.empty() || b.empty()) return false;
  const std::uint32_t apart = a.end - a.begin + (b.end - b.begin);
  return 2 * (both.end - both.begin) <= apart + apart / 8;
}

/// run_pass() of both groups over the key block at `first_key`; their queries are the lanes.
template <class Work>
void run_pass_pair(Work& work, const RowGroup& first, const RowGroup& second, std::uint32_t first_key) noexcept {
  KeyBlock passes[] = {begin_pass(work, first, first_key, block_keys, 0),
                       begin_pass(work, second, first_key, block_keys, panel_width)};
  passes[1].scores = work.scratch.staged;
  const KeyRange a = passes[0].scored;
  const KeyRange b = passes[1].scored;
  const KeyRange both{least(a.begin, b.begin), a.end > b.end ? a.end : b.end};
  const bool together = pays_as_pair(a, b, both);
  float maxima[2 * panel_width];
  if (together) {
    for (KeyBlock& pass : passes) pass.scored = both;
    score_columns<2>(passes[0], work.source, passes[1].scores - passes[0].scores, maxima);
  }
  for (int g = 0; g < 2; ++g) {
    if (passes[g].scored.empty()) continue;
    float* const greatest = maxima + std::ptrdiff_t{port::lanes} * g;
    if (!together) score_columns<1>(passes[g], work.source, 0, greatest);
    end_pass(work, passes[g], first_key, block_keys, greatest);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
