// SPDX-License-Identifier: MIT
#include "attention_unit.hpp"

#include <kernels/finite.hpp>
#include <kernels/logarithm.hpp>
#include <kernels/multiply.hpp>
#include <kernels/transpose.hpp>

#include "score_output.hpp"

namespace heed::detail {
namespace {

/// Groups of at least this many rows put the queries in the lanes; smaller ones put the keys there, which wastes no
/// lane but needs the keys in panels.
constexpr std::uint32_t column_rows = 9;

/// One unit at work: up to unit_rows query rows against the key blocks they see.
class Unit {
 public:
  Unit(const AttentionRun& run, std::uint32_t index, std::byte* scratch) noexcept;
  void run() noexcept;

 private:
  /// Rows that share one pass over a key block; `first` counts within the unit.
  struct Group {
    std::uint32_t first;
    std::uint32_t rows;
    bool columns;  ///< the queries are the lanes
  };

  /// One group's view of one key block. Ranges are relative to the block's first key.
  struct Block {
    std::uint32_t first_key;
    KeyRange seen[panel_width];  ///< per row
    KeyRange any;                ///< seen by at least one row
    KeyRange all;                ///< seen by every row
  };

  [[nodiscard]] Group group_at(std::uint32_t first) const noexcept;
  [[nodiscard]] Block block_at(const Group& group, std::uint32_t first_key) const noexcept;
  [[nodiscard]] KeyRange seen_by_row(std::uint32_t row) const noexcept;
  [[nodiscard]] std::uint32_t query_of(std::uint32_t row) const noexcept { return (first_row_ + row) / run_.group; }
  [[nodiscard]] std::uint32_t head_of(std::uint32_t row) const noexcept {
    return kv_head_ * run_.group + (first_row_ + row) % run_.group;
  }

  void stage_queries(const Group& group) noexcept;
  void run_block(const Group& group, std::uint32_t first_key) noexcept;
  void score_rows(const Group& group, std::uint32_t first_key, KeyRange panels) noexcept;
  void score_columns(const Group& group, std::uint32_t first_key, KeyRange panels) noexcept;
  void weigh(const Group& group, const Block& block, float* maxima, float* sums) noexcept;
  void multiply_values(const Group& group, const Block& block) noexcept;
  void finish(std::uint32_t row) noexcept;

  [[nodiscard]] float* group_queries(const Group& group) const noexcept {
    return queries_ + std::size_t{group.first} * head_dim_;
  }

  const AttentionRun& run_;
  std::uint32_t batch_;
  std::uint32_t kv_head_;
  std::uint32_t first_row_;
  std::uint32_t rows_;
  std::uint32_t head_dim_;
  std::uint32_t value_dim_;
  std::uint32_t value_width_;  ///< value_dim rounded up to 16
  std::uint32_t scored_keys_;  ///< width of a score row
  KeysAndValues source_;
  float* queries_;
  float* keys_;
  float* scores_;
  float* partial_;
  float* accumulators_;
  float* maxima_;
  float* sums_;
};

[[nodiscard]] float* floats(std::byte* scratch, const Region& region) noexcept {
  return reinterpret_cast<float*>(scratch + region.offset);
}

Unit::Unit(const AttentionRun& run, std::uint32_t index, std::byte* scratch) noexcept : run_(run) {
  const AttentionPlan& plan = *run.plan;
  const std::uint32_t row_unit = index % run.row_units;
  const std::uint32_t stream = index / run.row_units;
  batch_ = stream / plan.config.kv_heads;
  kv_head_ = stream % plan.config.kv_heads;
  first_row_ = row_unit * plan.unit_rows;
  rows_ = run.rows - first_row_ < plan.unit_rows ? run.rows - first_row_ : plan.unit_rows;
  head_dim_ = plan.config.head_dim;
  value_dim_ = plan.config.value_dim;
  value_width_ = static_cast<std::uint32_t>(round_up(value_dim_, panel_width));
  scored_keys_ = plan.scored_keys;
  source_ = keys_and_values(run, batch_, kv_head_);
  queries_ = floats(scratch, plan.queries);
  keys_ = floats(scratch, plan.keys);
  scores_ = floats(scratch, plan.scores);
  partial_ = floats(scratch, plan.partial);
  accumulators_ = floats(scratch, plan.accumulators);
  maxima_ = floats(scratch, plan.statistics);
  sums_ = maxima_ + round_up(plan.unit_rows, panel_width);
}

KeyRange Unit::seen_by_row(std::uint32_t row) const noexcept {
  return visible_keys(run_, source_.length, query_of(row));
}

Unit::Group Unit::group_at(std::uint32_t first) const noexcept {
  const std::uint32_t left = rows_ - first;
  const std::uint32_t rows = left < run_.plan->group_rows ? left : run_.plan->group_rows;
  return {first, rows, rows >= column_rows && run_.plan->group_rows == panel_width};
}

Unit::Block Unit::block_at(const Group& group, std::uint32_t first_key) const noexcept {
  Block block{first_key, {}, {block_keys, 0}, {0, block_keys}};
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const KeyRange seen = seen_by_row(group.first + r);
    const std::uint32_t begin = seen.begin > first_key ? seen.begin - first_key : 0;
    const std::uint32_t end = seen.end > first_key ? seen.end - first_key : 0;
    KeyRange& range = block.seen[r];
    range = {begin, end < block_keys ? end : block_keys};
    if (!range.empty()) {
      if (range.begin < block.any.begin) block.any.begin = range.begin;
      if (range.end > block.any.end) block.any.end = range.end;
    }
    if (range.begin > block.all.begin) block.all.begin = range.begin;
    if (range.end < block.all.end) block.all.end = range.end;
  }
  return block;
}

void Unit::run() noexcept {
  const bool every_key_scored = scores_need_every_key(run_);
  std::uint32_t end = every_key_scored ? source_.count : 0;
  std::uint32_t begin = every_key_scored ? 0 : source_.length;
  for (std::uint32_t r = 0; r < rows_; ++r) {
    const KeyRange seen = seen_by_row(r);
    if (seen.empty()) continue;
    if (seen.begin < begin) begin = seen.begin;
    if (seen.end > end) end = seen.end;
  }
  for (std::size_t i = 0; i < std::size_t{rows_} * value_width_; ++i) accumulators_[i] = 0.0F;
  for (std::uint32_t r = 0; r < round_up(rows_, panel_width); ++r) {
    maxima_[r] = lowest;
    sums_[r] = 0.0F;
  }
  for (std::uint32_t first = 0; first < rows_; first += run_.plan->group_rows) stage_queries(group_at(first));
  for (std::uint32_t key = begin / block_keys * block_keys; key < end; key += block_keys) {
    for (std::uint32_t first = 0; first < rows_; first += run_.plan->group_rows) run_block(group_at(first), key);
  }
  for (std::uint32_t r = 0; r < rows_; ++r) finish(r);
}

void Unit::stage_queries(const Group& group) noexcept {
  float* to = group_queries(group);
  if (group.columns && run_.group == 1) {
    const float* from = run_.inputs->query.row(batch_, kv_head_, query_of(group.first));
    to_panel(from, run_.inputs->query.row_stride, group.rows, head_dim_, run_.query_factor, to);
    return;
  }
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    const float* from = run_.inputs->query.row(batch_, head_of(group.first + r), query_of(group.first + r));
    float* row = group.columns ? to + r : to + std::size_t{r} * head_dim_;
    const std::size_t step = group.columns ? panel_width : 1;
    for (std::uint32_t d = 0; d < head_dim_; ++d) row[d * step] = from[d] * run_.query_factor;
  }
  if (!group.columns) return;
  for (std::uint32_t r = group.rows; r < panel_width; ++r) {
    for (std::uint32_t d = 0; d < head_dim_; ++d) to[std::size_t{d} * panel_width + r] = 0.0F;
  }
}

void Unit::run_block(const Group& group, std::uint32_t first_key) noexcept {
  const Block block = block_at(group, first_key);
  KeyRange scored = block.any;
  if (scores_need_every_key(run_)) {
    const std::uint32_t left = source_.count - first_key;
    scored = {0, left < block_keys ? left : block_keys};
  }
  if (scored.empty()) return;
  const KeyRange panels{scored.begin / panel_width * panel_width,
                        static_cast<std::uint32_t>(round_up(scored.end, panel_width))};
  if (group.columns) {
    score_columns(group, first_key, panels);
  } else {
    score_rows(group, first_key, panels);
  }
  if (run_.outputs->scores.data != nullptr) {
    for (std::uint32_t r = 0; r < group.rows; ++r) {
      const float* from = group.columns ? scores_ + r : scores_ + std::size_t{r} * scored_keys_;
      float* to = run_.outputs->scores.row(batch_, head_of(group.first + r), query_of(group.first + r)) + first_key;
      const std::size_t step = group.columns ? panel_width : 1;
      for (std::uint32_t key = scored.begin; key < scored.end; ++key) to[key] = from[key * step];
    }
  }
  if (block.any.empty()) return;

  float maxima[panel_width];
  float sums[panel_width];
  float before[panel_width];
  float added[panel_width];
  weigh(group, block, maxima, sums);
  multiply_values(group, block);
  merge_statistics(maxima, sums, maxima_ + group.first, sums_ + group.first, before, added);
  for (std::uint32_t r = 0; r < group.rows; ++r) {
    merge_row(partial_ + std::size_t{r} * value_width_, before[r], added[r], value_width_,
              accumulators_ + std::size_t{group.first + r} * value_width_);
  }
}

void Unit::score_rows(const Group& group, std::uint32_t first_key, KeyRange panels) noexcept {
  const auto dim = static_cast<std::ptrdiff_t>(head_dim_);
  const auto width = static_cast<std::ptrdiff_t>(scored_keys_);
  const bool staged = !source_.key_panels;
  const std::uint32_t step = staged ? run_.plan->staged_keys : panels.end;
  for (std::uint32_t key = panels.begin; key < panels.end; key += step) {
    const std::uint32_t left = panels.end - key;
    const std::uint32_t keys = left < step ? left : step;
    const float* from = source_.keys + std::size_t{first_key + key} * head_dim_;
    if (staged) {
      for (std::uint32_t k = 0; k < keys; k += panel_width) {
        const std::uint32_t there = source_.count - (first_key + key + k);
        to_panel(source_.keys + static_cast<std::ptrdiff_t>(first_key + key + k) * source_.key_row, source_.key_row,
                 there < panel_width ? there : panel_width, head_dim_, 1.0F, keys_ + std::size_t{k} * head_dim_);
      }
      from = keys_;
    }
    multiply({.a = group_queries(group),
              .a_row = dim,
              .a_step = 1,
              .b = from,
              .b_panel = dim * panel_width,
              .b_step = panel_width,
              .c = scores_ + key,
              .c_row = width,
              .c_panel = panel_width,
              .start = nullptr,
              .start_row = 0,
              .rows = group.rows,
              .columns = keys,
              .depth = head_dim_});
  }
}

void Unit::score_columns(const Group& group, std::uint32_t first_key, KeyRange panels) noexcept {
  Product product{.a = source_.keys,
                  .a_row = source_.key_row,
                  .a_step = 1,
                  .b = group_queries(group),
                  .b_panel = 0,
                  .b_step = panel_width,
                  .c = scores_ + std::size_t{panels.begin} * panel_width,
                  .c_row = panel_width,
                  .c_panel = 0,
                  .start = nullptr,
                  .start_row = 0,
                  .rows = panel_width,
                  .columns = panel_width,
                  .depth = head_dim_};
  if (!source_.key_panels) {
    const std::uint32_t left = source_.count - first_key;
    product.a += static_cast<std::ptrdiff_t>(first_key + panels.begin) * source_.key_row;
    product.rows = (panels.end < left ? panels.end : left) - panels.begin;
    multiply(product);
    return;
  }
  product.a_row = 1;
  product.a_step = panel_width;
  for (std::uint32_t key = panels.begin; key < panels.end; key += panel_width) {
    product.a = source_.keys + std::size_t{first_key + key} * head_dim_;
    product.c = scores_ + std::size_t{key} * panel_width;
    multiply(product);
  }
}

/// Scores become weights; what a row does not see becomes 0 within `block.any`.
void Unit::weigh(const Group& group, const Block& block, float* maxima, float* sums) noexcept {
  const KeyRange panels{block.any.begin / panel_width * panel_width,
                        static_cast<std::uint32_t>(round_up(block.any.end, panel_width))};
  if (group.columns) {
    for (std::uint32_t r = 0; r < panel_width; ++r) {
      const KeyRange seen = r < group.rows ? block.seen[r] : block.any;
      const KeyRange kept = seen.empty() ? KeyRange{panels.end, panels.end} : seen;
      for (std::uint32_t key = panels.begin; key < kept.begin; ++key) scores_[key * panel_width + r] = minus_infinity;
      for (std::uint32_t key = kept.end; key < panels.end; ++key) scores_[key * panel_width + r] = minus_infinity;
    }
    softmax_columns(scores_, panels, partial_, maxima, sums);
    return;
  }
  for (std::uint32_t r = 0; r < panel_width; ++r) {
    maxima[r] = lowest;
    sums[r] = 0.0F;
    if (r >= group.rows) continue;
    float* row = scores_ + std::size_t{r} * scored_keys_;
    const KeyRange seen = block.seen[r].empty() ? KeyRange{panels.end, panels.end} : block.seen[r];
    for (std::uint32_t key = panels.begin; key < seen.begin / panel_width * panel_width; ++key) row[key] = 0.0F;
    for (std::uint64_t key = round_up(seen.end, panel_width); key < panels.end; ++key) row[key] = 0.0F;
    if (!seen.empty()) softmax_row(row, seen, maxima[r], sums[r]);
  }
}

void Unit::multiply_values(const Group& group, const Block& block) noexcept {
  const float* values = source_.values + static_cast<std::ptrdiff_t>(block.first_key) * source_.value_row;
  const std::ptrdiff_t weight_row = group.columns ? 1 : static_cast<std::ptrdiff_t>(scored_keys_);
  const std::ptrdiff_t weight_step = group.columns ? panel_width : 1;
  const auto width = static_cast<std::ptrdiff_t>(value_width_);
  const auto product = [&](std::uint32_t row, std::uint32_t rows, KeyRange keys) noexcept {
    multiply({.a = scores_ + row * weight_row + keys.begin * weight_step,
              .a_row = weight_row,
              .a_step = weight_step,
              .b = values + static_cast<std::ptrdiff_t>(keys.begin) * source_.value_row,
              .b_panel = panel_width,
              .b_step = source_.value_row,
              .c = partial_ + row * width,
              .c_row = width,
              .c_panel = panel_width,
              .start = nullptr,
              .start_row = 0,
              .rows = rows,
              .columns = value_dim_,
              .depth = keys.empty() ? 0 : keys.end - keys.begin});
  };
  // A key that some rows do not see has the weight 0 there, and 0 times a finite value adds nothing. 0 times infinity
  // or NaN would: then every row is multiplied by its own keys alone.
  const KeyRange& all = block.all;
  const KeyRange& any = block.any;
  const KeyRange head{any.begin, all.empty() ? any.end : all.begin};
  const KeyRange tail{all.empty() ? any.end : all.end, any.end};
  const auto finite = [&](KeyRange keys) noexcept {
    return keys.empty() || all_finite(values + static_cast<std::ptrdiff_t>(keys.begin) * source_.value_row,
                                      source_.value_row, keys.end - keys.begin, value_dim_);
  };
  if (finite(head) && finite(tail)) {
    product(0, group.rows, any);
    return;
  }
  for (std::uint32_t r = 0; r < group.rows; ++r) product(r, 1, block.seen[r]);
}

void Unit::finish(std::uint32_t row) noexcept {
  const std::uint32_t head = head_of(row);
  const std::uint32_t query = query_of(row);
  const KeyRange seen = seen_by_row(row);
  const float inverse = 1.0F / sums_[row];
  float* to = run_.outputs->output.row(batch_, head, query);
  const float* from = accumulators_ + std::size_t{row} * value_width_;
  // The addition of 0 makes the sign of a zero independent of the keys that were multiplied with the weight 0.
  const port::f32x16 factor = port::set(inverse);
  const port::f32x16 zero = port::set(0.0F);
  std::uint32_t d = 0;
  for (; d + panel_width <= value_dim_; d += panel_width) {
    port::store(to + d, seen.empty() ? zero : port::fma(port::load(from + d), factor, zero));
  }
  if (d < value_dim_) {
    port::store_partial(to + d, seen.empty() ? zero : port::fma(port::load(from + d), factor, zero),
                        static_cast<int>(value_dim_ - d));
  }
  if (run_.outputs->log_sum_exp != nullptr) {
    const std::size_t stream = std::size_t{batch_} * run_.plan->config.heads + head;
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
