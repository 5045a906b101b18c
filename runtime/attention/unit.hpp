// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/merge.hpp>
#include <kernels/transpose.hpp>

#include "attention/key_products.hpp"
#include "attention/query_row.hpp"
#include "attention/row_output.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Groups of at least this many rows put the queries in the lanes; smaller ones put the keys there, which wastes no
/// lane but needs the keys in panels. Where a cache has them in panels already, that pays for more rows.
inline constexpr std::uint32_t column_rows = 9;
inline constexpr std::uint32_t column_rows_from_panels = 13;

[[nodiscard]] inline float* floats_at(std::byte* scratch, const Region& region) noexcept {
  return reinterpret_cast<float*>(scratch + region.offset);
}

/// plan.unit_rows query rows of one batch entry and key head, against the key blocks they see, in one worker's scratch.
/// Rules say which keys a query sees and what is done to a score (causal_rules.hpp, option_rules.hpp); Source is where
/// keys and values come from (key_source.hpp).
template <class Rules, class Source>
class Unit {
 public:
  /// index < batch * kv_heads * row_units.
  Unit(const AttentionRun& run, const Rules& rules, const Source& source, std::uint32_t index,
       std::byte* scratch) noexcept;
  void run() noexcept;

 private:
  [[nodiscard]] QueryRow row_at(std::uint32_t row) const noexcept {
    const std::uint32_t index = first_row_ + row;
    if (run_.group == 1) return {index, kv_head_};
    return {index / run_.group, kv_head_ * run_.group + index % run_.group};
  }
  [[nodiscard]] Group group_at(std::uint32_t first) const noexcept;
  [[nodiscard]] KeyBlock block_at(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept;
  [[nodiscard]] KeyRange keys_to_score() const noexcept;

  void stage_queries(const Group& group) noexcept;
  void run_pass(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept;
  void change_scores(KeyBlock& pass) noexcept;
  void run_block(const KeyBlock& block, float* maxima) noexcept;
  void multiply(const KeyBlock& block, float* result) noexcept;
  void write_scores(const KeyBlock& block, bool seen_only) const noexcept;
  void finish(std::uint32_t row) const noexcept;

  const AttentionRun& run_;
  const AttentionPlan& plan_;
  const Rules& rules_;
  const Source& source_;
  std::uint32_t batch_;
  std::uint32_t kv_head_;
  std::uint32_t first_row_;
  std::uint32_t rows_;
  std::uint32_t value_width_;   ///< value_dim rounded up to 16
  std::uint64_t started_ = 0;   ///< a bit for each group whose accumulators hold something
  KeyRange seen_[panel_width];  ///< what the rows of the group at work see of the block at work
  float* queries_;
  float* staged_;
  float* scores_;
  float* partial_;
  float* accumulators_;
  float* maxima_;
  float* sums_;
};

template <class Rules, class Source>
Unit<Rules, Source>::Unit(const AttentionRun& run, const Rules& rules, const Source& source, std::uint32_t index,
                          std::byte* scratch) noexcept
    : run_(run),
      plan_(*run.plan),
      rules_(rules),
      source_(source),
      batch_(index / run.row_units / run.plan->config.kv_heads),
      kv_head_(index / run.row_units % run.plan->config.kv_heads),
      first_row_(index % run.row_units * run.plan->unit_rows),
      rows_(run.rows - first_row_ < plan_.unit_rows ? run.rows - first_row_ : plan_.unit_rows),
      value_width_(static_cast<std::uint32_t>(round_up(plan_.config.value_dim, panel_width))),
      queries_(floats_at(scratch, plan_.queries)),
      staged_(floats_at(scratch, plan_.keys)),
      scores_(floats_at(scratch, plan_.scores)),
      partial_(floats_at(scratch, plan_.partial)),
      accumulators_(floats_at(scratch, plan_.accumulators)),
      maxima_(floats_at(scratch, plan_.statistics)),
      sums_(maxima_ + round_up(plan_.unit_rows, panel_width)) {}

template <class Rules, class Source>
Group Unit<Rules, Source>::group_at(std::uint32_t first) const noexcept {
  const std::uint32_t left = rows_ - first;
  const std::uint32_t rows = left < plan_.group_rows ? left : plan_.group_rows;
  const std::uint32_t enough = source_.in_panels ? column_rows_from_panels : column_rows;
  return {first, rows, rows >= enough && plan_.group_rows == panel_width,
          queries_ + std::size_t{first} * plan_.config.head_dim};
}

/// `width` keys from `first_key` on: one block, or several that are scored together.
template <class Rules, class Source>
KeyBlock Unit<Rules, Source>::block_at(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept {
  KeyBlock block{plan_, group, first_key, seen_};
  block.any = {width, 0};
  block.all = {0, width};
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    if (r > 0 && rules_.same_for_all()) {
      seen_[r] = seen_[0];
      continue;
    }
    const QueryRow row = row_at(group.first + r);
    KeyRange keys = within(rules_.visible(row.query), first_key, width);
    if constexpr (Rules::has_options) keys = rules_.without_closed_ends(row, first_key, keys);
    seen_[r] = keys;
    if (!keys.empty()) {
      if (keys.begin < block.any.begin) block.any.begin = keys.begin;
      if (keys.end > block.any.end) block.any.end = keys.end;
    }
    if (keys.begin > block.all.begin) block.all.begin = keys.begin;
    if (keys.end < block.all.end) block.all.end = keys.end;
  }
  if constexpr (Rules::has_options) {
    if (rules_.have_holes()) block.all = {};
    block.changed = rules_.change_scores();
  }
  block.scored = scores_need_every_key(run_) ? within({0, source_.count}, first_key, width) : block.any;
  block.staged = staged_;
  block.scores = scores_;
  block.score_row = static_cast<std::ptrdiff_t>(std::size_t{width / block_keys} * plan_.scored_keys);
  return block;
}

template <class Rules, class Source>
KeyRange Unit<Rules, Source>::keys_to_score() const noexcept {
  if (scores_need_every_key(run_)) return {0, source_.count};
  // What queries see begins and ends later the later they are, apart from queries that see nothing.
  std::uint32_t first = row_at(0).query;
  std::uint32_t last = row_at(rows_ - 1).query;
  while (first < last && rules_.visible(first).empty()) ++first;
  while (first < last && rules_.visible(last).empty()) --last;
  const KeyRange seen{rules_.visible(first).begin, rules_.visible(last).end};
  return seen.empty() ? KeyRange{} : seen;
}

template <class Rules, class Source>
void Unit<Rules, Source>::run() noexcept {
  const KeyRange keys = keys_to_score();
  const std::uint32_t first_key = keys.begin / block_keys * block_keys;
  // A few rows alone leave room for the scores of several blocks: longer reads without a pause.
  const bool several_blocks = rows_ < plan_.group_rows && keys.end - first_key > block_keys;
  const std::uint32_t width = several_blocks ? plan_.group_rows / rows_ * block_keys : block_keys;
  std::uint32_t key = first_key;
  do {
    for (std::uint32_t first = 0; first < rows_; first += plan_.group_rows) {
      const Group group = group_at(first);
      if (key == first_key) stage_queries(group);
      run_pass(group, key, width);
      if (keys.end - key > width) continue;
      for (std::uint32_t r = 0; r < group.rows; ++r) finish(first + r);
    }
    key += width;
  } while (key < keys.end);
}

template <class Rules, class Source>
void Unit<Rules, Source>::stage_queries(const Group& group) noexcept {
  port::store(sums_ + group.first, port::set(0.0F));
  const std::uint32_t head_dim = plan_.config.head_dim;
  float* to = queries_ + std::size_t{group.first} * head_dim;
  const float* rows[panel_width];
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const QueryRow row = row_at(group.first + r);
    rows[r] = run_.inputs->query.row(batch_, row.head, row.query);
  }
  if (group.columns) {
    to_panel(rows, group.rows, head_dim, run_.query_factor, to);
    return;
  }
  for (std::uint32_t r = 0; r < group.rows; ++r, to += head_dim) scale_row(rows[r], head_dim, run_.query_factor, to);
}

}  // namespace heed_own_code
}  // namespace heed::detail

#include "attention/unit_pass.hpp"
