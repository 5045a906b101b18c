// SPDX-License-Identifier: MIT
#include "attention/key_block.hpp"

#include <kernels/softmax.hpp>

#include "attention/key_products.hpp"
#include "common/constants.hpp"
#include "heed/detail/linked_code.hpp"

namespace heed::detail {
namespace {

// Templates, with calls that depend on their parameter, so that a port's kernel defines only what is called.

template <class Block>
void weigh_rows(const Block& block, KeyRange panels, float* maxima, float* sums) noexcept {
  port::store(maxima, port::set(lowest));
  port::store(sums, port::set(0.0F));
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * block.score_row;
    const bool has_visible_key = !block.seen[r].empty();
    const KeyRange touched = has_visible_key ? whole_panels(block.seen[r]) : KeyRange{panels.end, panels.end};
    for (std::uint32_t key = panels.begin; key < touched.begin; ++key) row[key] = 0.0F;
    for (std::uint32_t key = touched.end; key < panels.end; ++key) row[key] = 0.0F;
    if (has_visible_key) softmax_row(row, block.seen[r], maxima[r], sums[r]);
  }
}

/// Whether the maxima that came with the scores do not count: some of these keys are not seen by all.
[[nodiscard]] bool has_unseen(const KeyBlock& block) noexcept {
  const KeyRange keys = block.any;
  const bool all_seen = block.all.begin <= keys.begin && block.all.end >= keys.end;
  const bool nothing_else = block.scored.begin >= keys.begin && block.scored.end <= keys.end;
  return !all_seen || !nothing_else || block.changed;
}

template <class Block>
void weigh_columns(const Block& block, bool hidden, float* maxima, float* sums, float* block_work) noexcept {
  const KeyRange keys = block.any;
  if (has_unseen(block)) {
    for (std::uint32_t r = 0; !hidden && r < block.group.rows; ++r) {
      const KeyRange kept = block.seen[r].empty() ? KeyRange{keys.end, keys.end} : block.seen[r];
      float* column = block.scores + r;
      for (std::size_t key = keys.begin; key < kept.begin; ++key) column[key * panel_width] = minus_infinity;
      for (std::size_t key = kept.end; key < keys.end; ++key) column[key * panel_width] = minus_infinity;
    }
    column_maxima(block.scores, keys, maxima);
  }
  softmax_columns(block.scores, keys, maxima, block_work, sums);
}

/// Whatever the layout, one row after the other.
template <class Block>
void weigh_each_row(const Block& block, float* maxima, float* sums) noexcept {
  port::store(maxima, port::set(lowest));
  port::store(sums, port::set(0.0F));
  const auto strides = score_strides(block);
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    float* row = block.scores + static_cast<std::ptrdiff_t>(r) * strides.row;
    const KeyRange seen = block.seen[r].empty() ? KeyRange{block.any.end, block.any.end} : block.seen[r];
    const auto hide = [&](std::uint32_t key, std::uint32_t end) noexcept {
      for (; key < end; ++key) row[static_cast<std::ptrdiff_t>(key) * strides.key] = 0.0F;
    };
    hide(block.any.begin, seen.begin);
    hide(seen.end, block.any.end);
    if (!seen.empty()) softmax_row(row, strides.key, seen, maxima[r], sums[r]);
  }
}

}  // namespace

constinit const LinkedCode float_attention_code{&float_product_code};

bool hide_unseen(const KeyBlock& block) noexcept {
  using namespace port;
  if (softmax_by_rows || !block.group.columns || !has_unseen(block)) return false;
  float begins[panel_width] = {};
  float ends[panel_width] = {};
  KeyRange all = block.any;
  for (std::uint32_t r = 0; r < block.group.rows; ++r) {
    const KeyRange kept = block.seen[r].empty() ? KeyRange{block.any.end, block.any.end} : block.seen[r];
    begins[r] = static_cast<float>(static_cast<std::int32_t>(kept.begin));
    ends[r] = static_cast<float>(static_cast<std::int32_t>(kept.end));
    if (kept.begin > all.begin) all.begin = kept.begin;
    if (kept.end < all.end) all.end = kept.end;
  }
  const f32x16 unseen = set(minus_infinity);
  const auto hide = [&](std::uint32_t key, std::uint32_t end) noexcept {
    for (; key < end; ++key) {
      float* const at = block.scores + std::size_t{key} * panel_width;
      const f32x16 number = set(static_cast<float>(static_cast<std::int32_t>(key)));
      const f32x16 kept = where_less(number, load(ends), load(at), unseen);
      store(at, where_less(number, load(begins), unseen, kept));
    }
  };
  hide(block.any.begin, all.begin);
  hide(all.end > all.begin ? all.end : all.begin, block.any.end);
  return true;
}

void weigh_keys(const KeyBlock& block, [[maybe_unused]] bool hidden, float* maxima, float* sums,
                [[maybe_unused]] float* block_work) noexcept {
  if constexpr (softmax_by_rows) {
    weigh_each_row(block, maxima, sums);
  } else if (block.group.columns) {
    weigh_columns(block, hidden, maxima, sums, block_work);
  } else {
    weigh_rows(block, whole_panels(block.any), maxima, sums);
  }
}

#ifdef __OPTIMIZE_SIZE__
void multiply_rows(const KeyBlock& block, const KeySource& source, float* result, const KeyRange& keys,
                   std::uint32_t row) noexcept {
  multiply_some_rows(block, source, result, keys, row);
}
#endif

}  // namespace heed::detail
