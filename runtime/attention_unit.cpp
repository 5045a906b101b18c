// SPDX-License-Identifier: MIT
#include "attention_unit.hpp"

#include <kernels/logarithm.hpp>
#include <kernels/transpose.hpp>

#include "score_output.hpp"

namespace heed::detail {
namespace {

/// Groups of at least this many rows put the queries in the lanes; smaller ones put the keys there, which wastes no
/// lane but needs the keys in panels. Where a cache has them in panels already, that pays for more rows.
constexpr std::uint32_t column_rows = 9;
constexpr std::uint32_t column_rows_from_panels = 13;

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
    return {(first_row_ + row) / run_.group, kv_head_ * run_.group + (first_row_ + row) % run_.group};
  }
  [[nodiscard]] KeyRange seen_by(std::uint32_t row) const noexcept {
    return visible_keys(run_, source_.length, row_at(row).query);
  }
  [[nodiscard]] Group group_at(std::uint32_t first) const noexcept;
  [[nodiscard]] KeyBlock block_at(const Group& group, std::uint32_t first, std::uint32_t first_key) const noexcept;
  [[nodiscard]] KeyRange keys_to_score() const noexcept;

  void stage_queries(std::uint32_t first) noexcept;
  void run_block(std::uint32_t first, std::uint32_t first_key) noexcept;
  void write_scores(const KeyBlock& block, std::uint32_t first) const noexcept;
  void finish(std::uint32_t row) const noexcept;

  const AttentionRun& run_;
  const AttentionPlan& plan_;
  std::uint32_t batch_;
  std::uint32_t kv_head_;
  std::uint32_t first_row_;
  std::uint32_t rows_;
  std::uint32_t value_width_;  ///< value_dim rounded up to 16
  KeysAndValues source_;
  float* queries_;
  float* staged_;
  float* scores_;
  float* partial_;
  float* accumulators_;
  float* maxima_;
  float* sums_;
};

Unit::Unit(const AttentionRun& run, std::uint32_t index, std::byte* scratch) noexcept : run_(run), plan_(*run.plan) {
  const auto floats = [scratch](const Region& region) { return reinterpret_cast<float*>(scratch + region.offset); };
  const std::uint32_t stream = index / run.row_units;
  batch_ = stream / plan_.config.kv_heads;
  kv_head_ = stream % plan_.config.kv_heads;
  first_row_ = index % run.row_units * plan_.unit_rows;
  rows_ = run.rows - first_row_ < plan_.unit_rows ? run.rows - first_row_ : plan_.unit_rows;
  value_width_ = static_cast<std::uint32_t>(round_up(plan_.config.value_dim, panel_width));
  source_ = keys_and_values(run, batch_, kv_head_);
  queries_ = floats(plan_.queries);
  staged_ = floats(plan_.keys);
  scores_ = floats(plan_.scores);
  partial_ = floats(plan_.partial);
  accumulators_ = floats(plan_.accumulators);
  maxima_ = floats(plan_.statistics);
  sums_ = maxima_ + round_up(plan_.unit_rows, panel_width);
}

Group Unit::group_at(std::uint32_t first) const noexcept {
  const std::uint32_t left = rows_ - first;
  const std::uint32_t rows = left < plan_.group_rows ? left : plan_.group_rows;
  const std::uint32_t enough = source_.key_panels ? column_rows_from_panels : column_rows;
  return {rows, rows >= enough && plan_.group_rows == panel_width,
          queries_ + std::size_t{first} * plan_.config.head_dim};
}

KeyBlock Unit::block_at(const Group& group, std::uint32_t first, std::uint32_t first_key) const noexcept {
  KeyBlock block{plan_, source_, group, first_key};
  block.any = {block_keys, 0};
  block.all = {0, block_keys};
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const KeyRange seen = seen_by(first + r);
    const std::uint32_t begin = seen.begin > first_key ? seen.begin - first_key : 0;
    const std::uint32_t end = seen.end > first_key ? seen.end - first_key : 0;
    const KeyRange keys{begin, end < block_keys ? end : block_keys};
    block.seen[r] = keys;
    if (!keys.empty()) {
      if (keys.begin < block.any.begin) block.any.begin = keys.begin;
      if (keys.end > block.any.end) block.any.end = keys.end;
    }
    if (keys.begin > block.all.begin) block.all.begin = keys.begin;
    if (keys.end < block.all.end) block.all.end = keys.end;
  }
  block.scored = block.any;
  if (scores_need_every_key(run_)) {
    const std::uint32_t left = source_.count - first_key;
    block.scored = {0, left < block_keys ? left : block_keys};
  }
  block.staged = staged_;
  block.scores = scores_;
  block.partial = partial_;
  return block;
}

KeyRange Unit::keys_to_score() const noexcept {
  if (scores_need_every_key(run_)) return {0, source_.count};
  KeyRange any{source_.length, 0};
  for (std::uint32_t r = 0; r < rows_; ++r) {
    const KeyRange seen = seen_by(r);
    if (seen.empty()) continue;
    if (seen.begin < any.begin) any.begin = seen.begin;
    if (seen.end > any.end) any.end = seen.end;
  }
  return any;
}

void Unit::run() noexcept {
  for (std::size_t i = 0; i < std::size_t{rows_} * value_width_; ++i) accumulators_[i] = 0.0F;
  for (std::uint32_t r = 0; r < round_up(rows_, panel_width); ++r) {
    maxima_[r] = lowest;
    sums_[r] = 0.0F;
  }
  for (std::uint32_t first = 0; first < rows_; first += plan_.group_rows) stage_queries(first);
  const KeyRange keys = keys_to_score();
  for (std::uint32_t key = keys.begin / block_keys * block_keys; key < keys.end; key += block_keys) {
    for (std::uint32_t first = 0; first < rows_; first += plan_.group_rows) run_block(first, key);
  }
  for (std::uint32_t r = 0; r < rows_; ++r) finish(r);
}

void Unit::stage_queries(std::uint32_t first) noexcept {
  const Group group = group_at(first);
  const std::uint32_t head_dim = plan_.config.head_dim;
  float* to = queries_ + std::size_t{first} * head_dim;
  const auto query = [&](std::uint32_t r) noexcept {
    const Row row = row_at(first + r);
    return run_.inputs->query.row(batch_, row.head, row.query);
  };
  if (group.columns && run_.group == 1) {
    to_panel(query(0), run_.inputs->query.row_stride, group.rows, head_dim, run_.query_factor, to);
    return;
  }
  const std::size_t row_stride = group.columns ? 1 : head_dim;
  const std::size_t step = group.columns ? panel_width : 1;
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const float* from = query(r);
    for (std::uint32_t d = 0; d < head_dim; ++d) to[r * row_stride + d * step] = from[d] * run_.query_factor;
  }
  for (std::uint32_t r = group.rows; group.columns && r < panel_width; ++r) {
    for (std::uint32_t d = 0; d < head_dim; ++d) to[r + d * step] = 0.0F;
  }
}

void Unit::run_block(std::uint32_t first, std::uint32_t first_key) noexcept {
  const Group group = group_at(first);
  const KeyBlock block = block_at(group, first, first_key);
  if (block.scored.empty()) return;
  float block_maxima[panel_width];
  score_keys(block, block_maxima);
  if (run_.outputs->scores.data != nullptr) write_scores(block, first);
  if (block.any.empty()) return;

  float block_sums[panel_width];
  float before[panel_width];
  float added[panel_width];
  weigh_keys(block, block_maxima, block_sums);
  multiply_values(block);
  merge_statistics(block_maxima, block_sums, maxima_ + first, sums_ + first, before, added);
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    merge_row(partial_ + std::size_t{r} * value_width_, before[r], added[r], value_width_,
              accumulators_ + std::size_t{first + r} * value_width_);
  }
}

/// Leaves the base-2 scores in the output; finish() turns them into what is wanted.
void Unit::write_scores(const KeyBlock& block, std::uint32_t first) const noexcept {
  const ScoreStrides strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const Row row = row_at(first + r);
    const float* from = scores_ + r * strides.row;
    float* to = run_.outputs->scores.row(batch_, row.head, row.query) + block.first_key;
    for (std::uint32_t key = block.scored.begin; key < block.scored.end; ++key) to[key] = from[key * strides.key];
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

KeyRange visible_keys(const AttentionRun& run, std::uint32_t length, std::uint32_t query) noexcept {
  const AttentionInputs& inputs = *run.inputs;
  std::int64_t offset = 0;
  switch (inputs.causal) {
    case Causal::none: return {0, length};
    case Causal::top_left: break;
    case Causal::bottom_right: offset = std::int64_t{length} - inputs.queries; break;
    case Causal::offset: offset = inputs.causal_offset; break;
  }
  const std::int64_t end = std::int64_t{query} + offset + 1;
  if (end <= 0) return {};
  return {0, end < std::int64_t{length} ? static_cast<std::uint32_t>(end) : length};
}

void run_unit(const AttentionRun& run, std::uint32_t unit, std::byte* scratch) noexcept {
  Unit(run, unit, scratch).run();
}

}  // namespace heed::detail
