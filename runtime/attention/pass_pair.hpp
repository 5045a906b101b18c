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

/// Whether it pays to score both groups together, of the keys that are common to both. What one of them needs besides
/// is scored for it alone.
[[nodiscard]] inline bool pays_as_pair(KeyRange common) noexcept {
  return common.begin + 2 * std::uint32_t{pair_rows} <= common.end;
}

/// score_columns() of some keys, whose greatest scores join `maxima`: at most a tile of keys at a time while there is
/// something of the next tile to prefetch.
template <int Groups, class Work>
[[gnu::noinline]] void score_some(Work& work, KeyBlock block, std::ptrdiff_t apart, KeyRange keys,
                                  float* maxima) noexcept {
  constexpr std::uint32_t most = Groups == 2 ? pair_rows : port::tile_rows;
  float found[std::size_t{Groups} * panel_width];
  for (std::uint32_t key = keys.begin; key < keys.end; key = block.scored.end) {
    const std::uint32_t left = keys.end - key;
    const std::uint32_t step = work.source.in_panels ? panel_width - key % panel_width : most;
    // The last two tiles share what is left.
    block.scored = {key, left < 2 * most || !work.next.has_rows() ? keys.end : key + step};
    score_columns<Groups>(block, work.source, apart, found);
    for (std::ptrdiff_t lane = 0; lane < std::ptrdiff_t{Groups} * port::lanes; lane += port::lanes) {
      port::store(maxima + lane, port::max(port::load(maxima + lane), port::load(found + lane)));
    }
    work.next.prefetch(2);
  }
}

/// The scores of both groups, of the keys `common` to both together.
template <class Work>
void score_pair(Work& work, const KeyBlock* passes, KeyRange common, float* maxima) noexcept {
  for (std::ptrdiff_t g = 0; g < 2; ++g) port::store(maxima + port::lanes * g, port::set(lowest));
  score_some<2>(work, passes[0], passes[1].scores - passes[0].scores, common, maxima);
  for (std::ptrdiff_t g = 0; g < 2; ++g) {
    const KeyRange own = passes[g].scored;
    score_some<1>(work, passes[g], 0, {own.begin, common.begin}, maxima + port::lanes * g);
    score_some<1>(work, passes[g], 0, {common.end, own.end}, maxima + port::lanes * g);
  }
}

/// run_pass() of both groups over the key block at `first_key`; their queries are the lanes.
template <class Work>
void run_pass_pair(Work& work, const RowGroup& first, const RowGroup& second, std::uint32_t first_key) noexcept {
  KeyBlock passes[] = {begin_pass(work, first, first_key, block_keys, 0),
                       begin_pass(work, second, first_key, block_keys, panel_width)};
  passes[1].scores = work.scratch.staged;
  const KeyRange a = passes[0].scored;
  const KeyRange b = passes[1].scored;
  const KeyRange common{a.begin > b.begin ? a.begin : b.begin, least(a.end, b.end)};
  const bool together = pays_as_pair(common);
  float maxima[2 * panel_width];
  if (together) score_pair(work, passes, common, maxima);
  for (int g = 0; g < 2; ++g) {
    if (passes[g].scored.empty()) continue;
    float* const greatest = maxima + std::ptrdiff_t{port::lanes} * g;
    if (!together) score_columns<1>(passes[g], work.source, 0, greatest);
    end_pass(work, passes[g], first_key, block_keys, greatest);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
