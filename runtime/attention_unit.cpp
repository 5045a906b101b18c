// SPDX-License-Identifier: MIT
#include "attention_unit.hpp"

#include <kernels/logarithm.hpp>
#include <kernels/merge.hpp>
#include <kernels/transpose.hpp>

#include "score_output.hpp"

namespace heed::detail {
namespace {

/// Groups of at least this many rows put the queries in the lanes; smaller ones put the keys there, which wastes no
/// lane but needs the keys in panels. Where a cache has them in panels already, that pays for more rows.
constexpr std::uint32_t column_rows = 9;
constexpr std::uint32_t column_rows_from_panels = 13;

[[nodiscard]] float* floats_at(std::byte* scratch, const Region& region) noexcept {
  return reinterpret_cast<float*>(scratch + region.offset);
}

/// One unit at work: up to unit_rows query rows against the key blocks they see.
class Unit {
 public:
  Unit(const AttentionRun& run, std::uint32_t index, std::byte* scratch) noexcept;
  void run() noexcept;

 private:
  struct Row {
    std::uint32_t query;
    std::uint32_t head;
  };

  [[nodiscard]] Row row_at(std::uint32_t row) const noexcept {
    const std::uint32_t index = first_row_ + row;
    if (run_.group == 1) return {index, kv_head_};
    return {index / run_.group, kv_head_ * run_.group + index % run_.group};
  }
  [[nodiscard]] KeyRange seen_by(std::uint32_t row) const noexcept {
    return visible_keys(run_, source_.length, row_at(row).query);
  }
  [[nodiscard]] Group group_at(std::uint32_t first) const noexcept;
  [[nodiscard]] KeyBlock block_at(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept;
  [[nodiscard]] KeyRange keys_to_score() const noexcept;

  void stage_queries(const Group& group) noexcept;
  void run_pass(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept;
  void run_block(const KeyBlock& block, float* maxima) noexcept;
  void write_scores(const KeyBlock& block) const noexcept;
  void finish(std::uint32_t row) const noexcept;

  const AttentionRun& run_;
  const AttentionPlan& plan_;
  std::uint32_t batch_;
  std::uint32_t kv_head_;
  std::uint32_t first_row_;
  std::uint32_t rows_;
  std::uint32_t value_width_;   ///< value_dim rounded up to 16
  std::uint64_t started_ = 0;   ///< a bit for each group whose accumulators hold something
  KeyRange seen_[panel_width];  ///< what the rows of the group at work see of the block at work
  KeysAndValues source_;
  float* queries_;
  float* staged_;
  float* scores_;
  float* partial_;
  float* accumulators_;
  float* maxima_;
  float* sums_;
};

Unit::Unit(const AttentionRun& run, std::uint32_t index, std::byte* scratch) noexcept
    : run_(run),
      plan_(*run.plan),
      batch_(index / run.row_units / run.plan->config.kv_heads),
      kv_head_(index / run.row_units % run.plan->config.kv_heads),
      first_row_(index % run.row_units * run.plan->unit_rows),
      rows_(run.rows - first_row_ < plan_.unit_rows ? run.rows - first_row_ : plan_.unit_rows),
      value_width_(static_cast<std::uint32_t>(round_up(plan_.config.value_dim, panel_width))),
      source_(keys_and_values(run, batch_, kv_head_)),
      queries_(floats_at(scratch, plan_.queries)),
      staged_(floats_at(scratch, plan_.keys)),
      scores_(floats_at(scratch, plan_.scores)),
      partial_(floats_at(scratch, plan_.partial)),
      accumulators_(floats_at(scratch, plan_.accumulators)),
      maxima_(floats_at(scratch, plan_.statistics)),
      sums_(maxima_ + round_up(plan_.unit_rows, panel_width)) {}

Group Unit::group_at(std::uint32_t first) const noexcept {
  const std::uint32_t left = rows_ - first;
  const std::uint32_t rows = left < plan_.group_rows ? left : plan_.group_rows;
  const std::uint32_t enough = source_.key_panels ? column_rows_from_panels : column_rows;
  return {first, rows, rows >= enough && plan_.group_rows == panel_width,
          queries_ + std::size_t{first} * plan_.config.head_dim};
}

/// `width` keys from `first_key` on: one block, or several that are scored together.
KeyBlock Unit::block_at(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept {
  KeyBlock block{plan_, source_, group, first_key, seen_};
  block.any = {width, 0};
  block.all = {0, width};
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    if (r > 0 && run_.inputs->causal == Causal::none) {
      seen_[r] = seen_[0];
      continue;
    }
    const KeyRange keys = within(seen_by(group.first + r), first_key, width);
    seen_[r] = keys;
    if (!keys.empty()) {
      if (keys.begin < block.any.begin) block.any.begin = keys.begin;
      if (keys.end > block.any.end) block.any.end = keys.end;
    }
    if (keys.begin > block.all.begin) block.all.begin = keys.begin;
    if (keys.end < block.all.end) block.all.end = keys.end;
  }
  block.scored = scores_need_every_key(run_) ? within({0, source_.count}, first_key, width) : block.any;
  block.staged = staged_;
  block.scores = scores_;
  block.score_row = static_cast<std::ptrdiff_t>(std::size_t{width / block_keys} * plan_.scored_keys);
  return block;
}

KeyRange Unit::keys_to_score() const noexcept {
  if (scores_need_every_key(run_)) return {0, source_.count};
  KeyRange any{source_.length, 0};
  const std::uint32_t last = row_at(rows_ - 1).query;
  for (std::uint32_t query = row_at(0).query; query <= last; ++query) {
    const KeyRange seen = visible_keys(run_, source_.length, query);
    if (seen.empty()) continue;
    if (seen.begin < any.begin) any.begin = seen.begin;
    if (seen.end > any.end) any.end = seen.end;
    if (run_.inputs->causal == Causal::none) break;
  }
  return any.empty() ? KeyRange{} : any;
}

void Unit::run() noexcept {
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

void Unit::stage_queries(const Group& group) noexcept {
  const std::uint32_t head_dim = plan_.config.head_dim;
  float* to = queries_ + std::size_t{group.first} * head_dim;
  const float* rows[panel_width];
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const Row row = row_at(group.first + r);
    rows[r] = run_.inputs->query.row(batch_, row.head, row.query);
  }
  if (group.columns) {
    to_panel(rows, group.rows, head_dim, run_.query_factor, to);
    return;
  }
  const port::f32x16 factor = port::set(run_.query_factor);
  for (std::uint32_t r = 0; r < group.rows; ++r, to += head_dim) {
    std::uint32_t d = 0;
    for (; d + panel_width <= head_dim; d += panel_width) {
      port::store(to + d, port::mul(port::load(rows[r] + d), factor));
    }
    const int left = static_cast<int>(head_dim - d);
    if (left != 0) port::store_partial(to + d, port::mul(port::load_partial(rows[r] + d, left), factor), left);
  }
}

void Unit::run_pass(const Group& group, std::uint32_t first_key, std::uint32_t width) noexcept {
  const KeyBlock pass = block_at(group, first_key, width);
  if (pass.scored.empty()) return;
  float maxima[panel_width];
  score_keys(pass, maxima);
  if (run_.outputs->scores.data != nullptr) write_scores(pass);
  if (width == block_keys) {
    run_block(pass, maxima);
    return;
  }
  for (std::uint32_t key = 0; key < pass.any.end; key += block_keys) {
    KeyBlock block = block_at(group, first_key + key, block_keys);
    block.scores = pass.scores + key;
    block.score_row = pass.score_row;
    run_block(block, maxima);
  }
}

/// Weighs and multiplies one block that has been scored.
void Unit::run_block(const KeyBlock& block, float* maxima) noexcept {
  if (block.any.empty()) return;
  const Group& group = block.group;
  const std::uint64_t bit = std::uint64_t{1} << group.first / plan_.group_rows;
  float* result = accumulators_ + std::size_t{group.first} * value_width_;
  if ((started_ & bit) == 0) {
    started_ |= bit;
    weigh_keys(block, maxima, sums_ + group.first, partial_);
    port::store(maxima_ + group.first, port::load(maxima));
    multiply_values(block, result);
    return;
  }
  float sums[panel_width];
  float before[panel_width];
  float added[panel_width];
  weigh_keys(block, maxima, sums, partial_);
  merge_statistics(maxima, sums, maxima_ + group.first, sums_ + group.first, before, added);
  multiply_values(block, partial_);
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const std::size_t row = std::size_t{r} * value_width_;
    merge_row(partial_ + row, before[r], added[r], value_width_, result + row);
  }
}

/// Leaves the base-2 scores in the output; finish() turns them into what is wanted.
void Unit::write_scores(const KeyBlock& block) const noexcept {
  const ScoreStrides strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const Row row = row_at(block.group.first + r);
    const float* from = scores_ + static_cast<std::ptrdiff_t>(r) * strides.row;
    float* to = run_.outputs->scores.row(batch_, row.head, row.query) + block.first_key;
    for (std::uint32_t key = block.scored.begin; key < block.scored.end; ++key) {
      to[key] = from[static_cast<std::ptrdiff_t>(key) * strides.key];
    }
  }
}

void Unit::finish(std::uint32_t row) const noexcept {
  const auto [query, head] = row_at(row);
  const KeyRange seen = seen_by(row);
  const float inverse = 1.0F / sums_[row];
  const std::uint32_t value_dim = plan_.config.value_dim;
  const float* from = accumulators_ + std::size_t{row} * value_width_;
  float* to = run_.outputs->output.row(batch_, head, query);
  const port::f32x16 factor = port::set(inverse);
  const port::f32x16 zero = port::set(0.0F);
  for (std::uint32_t d = 0; d < value_dim; d += panel_width) {
    // Adding 0 makes the sign of a zero independent of the keys that were multiplied with the weight 0.
    const port::f32x16 result = seen.empty() ? zero : port::fma(port::load(from + d), factor, zero);
    const std::uint32_t left = value_dim - d;
    if (left >= panel_width) {
      port::store(to + d, result);
    } else {
      port::store_partial(to + d, result, static_cast<int>(left));
    }
  }
  if (run_.outputs->log_sum_exp != nullptr) {
    const std::size_t stream = std::size_t{batch_} * plan_.config.heads + head;
    run_.outputs->log_sum_exp[stream * run_.log_sum_exp_head + query] =
        seen.empty() ? minus_infinity : __builtin_fmaf(maxima_[row], ln_2, logarithm(sums_[row]));
  }
  if (run_.outputs->scores.data != nullptr) {
    finish_scores(run_.outputs->scores.row(batch_, head, query), run_.outputs->score_stage, source_.count, seen,
                  maxima_[row], inverse);
  }
}

}  // namespace

void run_unit(const AttentionRun& run, std::uint32_t unit, std::byte* scratch) noexcept {
  Unit(run, unit, scratch).run();
}

}  // namespace heed::detail
