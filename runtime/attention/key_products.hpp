// SPDX-License-Identifier: MIT
//
// The two products of a key block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/few_rows.hpp>
#include <kernels/finite.hpp>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "attention/key_source.hpp"
#include "attention/row_group.hpp"
#include "common/constants.hpp"
#include "product/gemm.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Whether few_rows.hpp has the kernels for these rows and this source.
[[nodiscard]] inline bool takes_few_rows(const KeyBlock& block, const KeySource& source) noexcept {
  return block.group.rows <= few_rows && source.in_panels && source.stored == nullptr &&
         block.plan.config.value_dim % panel_width == 0;
}

/// The pass of these rows over some keys of the block.
[[nodiscard]] inline RowPass row_pass(const KeyBlock& block, const KeySource& source, KeyRange keys) noexcept {
  const AttentionConfig& config = block.plan.config;
  return {.rows = block.group.rows,
          .head_dim = config.head_dim,
          .value_dim = config.value_dim,
          .keys = keys,
          .queries = block.group.queries,
          .panels = source.keys + std::size_t{block.first_key} * config.head_dim,
          .values = source.values + static_cast<std::ptrdiff_t>(block.first_key) * source.value_row,
          .value_row = source.value_row,
          .scores = block.scores,
          .score_row = block.score_row};
}

/// Scores with the keys in the lanes. `are_stored`: the source is known to be StoredKeys. Out of line, as every product
/// here is: only one of them is on the stack at a time.
template <bool are_stored = false>
[[gnu::noinline]] void score_rows(const KeyBlock& block, const KeySource& source, KeyRange panels) noexcept {
  const auto head_dim = static_cast<std::ptrdiff_t>(block.plan.config.head_dim);
  Gemm product;
  product.a = block.group.queries;
  product.a_row = head_dim;
  product.a_step = 1;
  product.b_panel = head_dim * std::ptrdiff_t{panel_width};
  product.b_step = panel_width;
  product.c_row = block.score_row;
  product.c_panel = panel_width;
  product.start = nullptr;
  product.start_row = 0;
  product.rows = block.group.rows;
  product.depth = block.plan.config.head_dim;
  for (std::uint32_t key = panels.begin; key < panels.end;) {
    product.c = block.scores + key;
    const std::uint32_t first = block.first_key + key;
    const std::uint32_t left = panels.end - key;
    if constexpr (are_stored) {
      key += source.stored->multiply_keys(source, first, left, block.staged, product);
    } else {
      key += source.multiply_keys(first, left, block.staged, product);
    }
  }
}

/// Queries in the lanes: here the keys are the rows of the product, so they are read where they lie. Two groups whose
/// queries lie one after the other are scored at once: `block` is the first one's, `apart` leads to the scores of the
/// second.
template <int Groups>
[[gnu::noinline]] void score_columns(const KeyBlock& block, const KeySource& source, std::ptrdiff_t apart,
                                     float* maxima) noexcept {
  for (int group = 0; group < Groups; ++group)
    port::store(maxima + std::ptrdiff_t{port::lanes} * group, port::set(lowest));
  const KeyRange keys = block.scored;
  const std::uint32_t head_dim = block.plan.config.head_dim;
  Gemm product;
  product.b = block.group.queries;
  product.b_panel = Groups == 1 ? 0 : static_cast<std::ptrdiff_t>(head_dim) * port::lanes;
  product.b_step = panel_width;
  product.c_row = panel_width;
  product.c_panel = Groups == 1 ? 0 : apart;
  product.start = nullptr;
  product.start_row = 0;
  product.columns = Groups * panel_width;
  product.depth = head_dim;
  product.column_maxima = maxima;
  const auto score = [&](const float* from, KeyRange scored) noexcept {
    product.a = from;
    product.c = block.scores + std::size_t{scored.begin} * panel_width;
    product.rows = scored.end - scored.begin;
    multiply(product);
  };
  if (!source.in_panels) {
    const FloatRows rows = source.key_rows(block.first_key + keys.begin);
    product.a_row = rows.stride;
    product.a_step = 1;
    score(rows.first, keys);
    return;
  }
  product.a_row = 1;
  product.a_step = panel_width;
  for (std::uint32_t key = keys.begin; key < keys.end;) {
    const std::uint32_t lane = key % panel_width;
    std::uint32_t panel = panel_width;
    const float* const from = source.panels(block.first_key + key - lane, panel, block.staged);
    const std::uint32_t end = least(key - lane + panel_width, keys.end);
    score(from + lane, {key, end});
    key = end;
  }
}

/// Scores of the keys `scored`, masked or not, in units of ln 2; with the keys in the lanes, of the whole panels that
/// cover them. With columns, `maxima` [16] receives the greatest of each row.
inline void score_keys(const KeyBlock& block, const KeySource& source, float* maxima) noexcept {
  if constexpr (has_few_rows) {
    if (takes_few_rows(block, source)) return score_few_rows(row_pass(block, source, block.scored), maxima);
  }
  if (block.group.columns) {
    score_columns<1>(block, source, 0, maxima);
  } else {
    score_rows(block, source, whole_panels(block.scored));
  }
}

/// Floats from a row of a key block's result to the next one.
[[nodiscard]] inline std::ptrdiff_t result_width(const KeyBlock& block) noexcept {
  return static_cast<std::ptrdiff_t>(round_up(block.plan.config.value_dim, panel_width));
}

/// In place of a row's number: all rows of a group.
inline constexpr std::uint32_t every_row = UINT32_MAX;

/// Weights x values of some keys: of every row, or of one, which is added to what its result holds.
[[gnu::always_inline]] inline void multiply_some_rows(const KeyBlock& block, const KeySource& source, float* result,
                                                      const KeyRange& keys, std::uint32_t row) noexcept {
  const ScoreStrides strides = score_strides(block);
  Gemm product;
  product.a = block.scores + static_cast<std::ptrdiff_t>(keys.begin) * strides.key;
  product.a_row = strides.row;
  product.a_step = strides.key;
  product.b_panel = panel_width;
  product.c = result;
  product.c_row = result_width(block);
  product.c_panel = panel_width;
  product.start = nullptr;
  product.start_row = product.c_row;
  product.rows = block.group.rows;
  product.columns = block.plan.config.value_dim;
  if (row != every_row) {
    product.a += static_cast<std::ptrdiff_t>(row) * strides.row;
    product.start = result;
    product.rows = 1;
  }
  for (std::uint32_t key = keys.begin; key < keys.end;) {
    const std::uint32_t taken = source.multiply_values(block.first_key + key, keys.end - key, block.staged, product);
    key += taken;
    product.a += static_cast<std::ptrdiff_t>(taken) * product.a_step;
    product.start = product.c;
  }
}

#ifdef __OPTIMIZE_SIZE__
}  // namespace heed_own_code

/// The same, linked where attention over floats is named.
void multiply_rows(const KeyBlock& block, const KeySource& source, float* result, const KeyRange& keys,
                   std::uint32_t row) noexcept;

inline namespace heed_own_code {
#else
[[gnu::noinline]] inline void multiply_rows(const KeyBlock& block, const KeySource& source, float* result,
                                            const KeyRange& keys, std::uint32_t row) noexcept {
  multiply_some_rows(block, source, result, keys, row);
}
#endif

/// Every row's weights times the values of those keys alone that the row sees.
template <class Policy>
void multiply_each_row(const KeyBlock& block, const TileRows& rows, const Policy& policy, const KeySource& source,
                       float* result) noexcept {
  const std::ptrdiff_t width = result_width(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r, result += width) {
    for (std::ptrdiff_t i = 0; i < width; ++i) result[i] = 0.0F;
    for (KeyRange left = block.seen[r]; !left.empty();) {
      const KeyRange run = policy.next_unmasked_run(rows.at(block.group.first + r), block.first_key, left);
      multiply_rows(block, source, result, run, r);
      left.begin = run.end;
    }
  }
}

/// result [rows, value_dim rounded up to 16] = weights x values, of a key block of which some row sees a key; `policy`
/// says which keys a row sees.
template <class Policy>
void multiply_values(const KeyBlock& block, const TileRows& rows, const Policy& policy, const KeySource& source,
                     float* result) noexcept {
  multiply_rows(block, source, result, block.any, every_row);
  // A key that a row does not see has the weight 0 there, and 0 times a finite value adds nothing. 0 times infinity or
  // NaN is NaN: then every row is multiplied by its own keys alone.
  if (block.all.begin <= block.any.begin && block.all.end >= block.any.end) return;
  if (all_finite(result, result_width(block), block.group.rows, block.plan.config.value_dim)) return;
  multiply_each_row(block, rows, policy, source, result);
}

/// weigh_keys() and multiply_values() at once, where few_rows.hpp has a kernel for the rows: whether that is so.
/// `maxima` holds what score_keys() left there.
template <class Policy>
[[nodiscard]] bool weigh_few(const KeyBlock& block, const TileRows& rows, const Policy& policy, const KeySource& source,
                             float* maxima, float* sums, float* result) noexcept {
  const bool same_for_all = block.all.begin <= block.any.begin && block.all.end >= block.any.end;
  if (!takes_few_rows(block, source) || (block.group.rows != 1 && !same_for_all)) return false;
  const RowPass pass = row_pass(block, source, block.any);
  const bool same_keys = block.scored.begin == block.any.begin && block.scored.end == block.any.end;
  if (!same_keys || block.changed) find_few_maxima(pass, maxima);
  weigh_few_rows(pass, maxima, sums, result, result_width(block));
  if (same_for_all || all_finite(result, result_width(block), block.group.rows, pass.value_dim)) return true;
  multiply_each_row(block, rows, policy, source, result);
  return true;
}

}  // namespace heed_own_code
}  // namespace heed::detail
