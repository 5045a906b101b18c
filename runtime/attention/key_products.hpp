// SPDX-License-Identifier: MIT
//
// The two products of a key block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/finite.hpp>
#include <port.hpp>

#include "attention/key_block.hpp"
#include "attention/key_source.hpp"
#include "attention/row_group.hpp"
#include "common/constants.hpp"
#include "product/gemm.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Keys in the lanes.
inline void score_rows(const KeyBlock& block, const KeySource& source, KeyRange panels) noexcept {
  const auto head_dim = static_cast<std::ptrdiff_t>(block.plan.config.head_dim);
  for (std::uint32_t key = panels.begin; key < panels.end;) {
    Gemm product{.a = block.group.queries,
                 .a_row = head_dim,
                 .a_step = 1,
                 .b = nullptr,
                 .b_panel = head_dim * std::ptrdiff_t{panel_width},
                 .b_step = panel_width,
                 .c = block.scores + key,
                 .c_row = block.score_row,
                 .c_panel = panel_width,
                 .start = nullptr,
                 .start_row = 0,
                 .rows = block.group.rows,
                 .columns = 0,
                 .depth = block.plan.config.head_dim};
    key += source.multiply_keys(block.first_key + key, panels.end - key, block.staged, product);
  }
}

/// Queries in the lanes: here the keys are the rows of the product, so they are read where they lie. Two groups whose
/// queries lie one after the other are scored at once: `block` is the first one's, `apart` leads to the scores of the
/// second.
template <int Groups>
void score_columns(const KeyBlock& block, const KeySource& source, std::ptrdiff_t apart, float* maxima) noexcept {
  for (int group = 0; group < Groups; ++group)
    port::store(maxima + std::ptrdiff_t{port::lanes} * group, port::set(lowest));
  const KeyRange keys = block.scored;
  const std::uint32_t head_dim = block.plan.config.head_dim;
  const auto score = [&](const float* from, std::ptrdiff_t row, std::ptrdiff_t step, std::uint32_t first,
                         std::uint32_t count) noexcept {
    Gemm product{.a = from,
                 .a_row = row,
                 .a_step = step,
                 .b = block.group.queries,
                 .b_panel = Groups == 1 ? 0 : static_cast<std::ptrdiff_t>(head_dim) * port::lanes,
                 .b_step = panel_width,
                 .c = block.scores + std::size_t{first} * panel_width,
                 .c_row = panel_width,
                 .c_panel = Groups == 1 ? 0 : apart,
                 .start = nullptr,
                 .start_row = 0,
                 .rows = count,
                 .columns = Groups * panel_width,
                 .depth = head_dim,
                 .column_maxima = maxima};
    multiply(product);
  };
  if (!source.in_panels) {
    const FloatRows rows = source.key_rows(block.first_key + keys.begin);
    score(rows.first, rows.stride, 1, keys.begin, keys.end - keys.begin);
    return;
  }
  const KeyRange panels = whole_panels(keys);
  for (std::uint32_t key = panels.begin; key < panels.end;) {
    std::uint32_t count = panels.end - key;
    const float* from = source.panels(block.first_key + key, count, block.staged);
    const std::uint32_t end = key + count;
    for (; key < end; key += panel_width, from += std::size_t{panel_width} * head_dim) {
      const KeyRange lanes = within(keys, key, panel_width);
      score(from + lanes.begin, 1, panel_width, key + lanes.begin, lanes.end - lanes.begin);
    }
  }
}

/// Scores of the keys `scored`, masked or not, in units of ln 2; with the keys in the lanes, of the whole panels that
/// cover them. With columns, `maxima` [16] receives the greatest of each row.
[[gnu::noinline]] inline void score_keys(const KeyBlock& block, const KeySource& source, float* maxima) noexcept {
  if (block.group.columns) {
    score_columns<1>(block, source, 0, maxima);
  } else {
    score_rows(block, source, whole_panels(block.scored));
  }
}

/// A key block's weights times its values, for all rows of the group or for one of them.
class ValueProduct {
 public:
  ValueProduct(const KeyBlock& block, const KeySource& source, float* result) noexcept
      : block_(block),
        source_(source),
        strides_(score_strides(block)),
        result_(result),
        width_(static_cast<std::ptrdiff_t>(round_up(block.plan.config.value_dim, panel_width))) {}

  /// Rows [row, row + rows) of the result, continued from what is there if `accumulate`.
  [[gnu::noinline]] void multiply_rows(std::uint32_t row, std::uint32_t rows, KeyRange keys,
                                       bool accumulate) const noexcept {
    const auto first_row = static_cast<std::ptrdiff_t>(row);
    float* to = result_ + first_row * width_;
    for (std::uint32_t key = keys.begin; key < keys.end;) {
      Gemm product{.a = block_.scores + first_row * strides_.row + static_cast<std::ptrdiff_t>(key) * strides_.key,
                   .a_row = strides_.row,
                   .a_step = strides_.key,
                   .b = nullptr,
                   .b_panel = panel_width,
                   .b_step = 0,
                   .c = to,
                   .c_row = width_,
                   .c_panel = panel_width,
                   .start = accumulate ? to : nullptr,
                   .start_row = width_,
                   .rows = rows,
                   .columns = block_.plan.config.value_dim,
                   .depth = 0};
      key += source_.multiply_values(block_.first_key + key, keys.end - key, block_.staged, product);
      accumulate = true;
    }
    if (accumulate) return;
    for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(rows) * width_; ++i) to[i] = 0.0F;
  }

 private:
  const KeyBlock& block_;
  const KeySource& source_;
  ScoreStrides strides_;
  float* result_;
  std::ptrdiff_t width_;
};

/// result [rows, value_dim rounded up to 16] = weights x values; `policy` says which keys of the key block a row sees.
template <class Policy>
void multiply_values(const KeyBlock& block, const TileRows& rows, const Policy& policy, const KeySource& source,
                     float* result) noexcept {
  const ValueProduct product(block, source, result);
  product.multiply_rows(0, block.group.rows, block.any, false);
  // A key that a row does not see has the weight 0 there, and 0 times a finite value adds nothing. 0 times infinity or
  // NaN is NaN: then every row is multiplied by its own keys alone.
  if (block.all.begin <= block.any.begin && block.all.end >= block.any.end) return;
  const std::uint32_t value_dim = block.plan.config.value_dim;
  const auto width = static_cast<std::ptrdiff_t>(round_up(value_dim, panel_width));
  if (all_finite(result, width, block.group.rows, value_dim)) return;
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    bool accumulate = false;
    KeyRange left = block.seen[r];
    do {
      const KeyRange run = policy.next_unmasked_run(rows.at(block.group.first + r), block.first_key, left);
      product.multiply_rows(r, 1, run, accumulate);
      accumulate = true;
      left.begin = run.end;
    } while (!left.empty());
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
