// SPDX-License-Identifier: MIT
#include "cases/unfused_case.hpp"

#include <algorithm>
#include <cmath>
#include <kernels/merge.hpp>
#include <kernels/softmax.hpp>
#include <kernels/transpose.hpp>
#include <product/gemm.hpp>
#include <utility>

namespace heed::bench {

UnfusedCase::UnfusedCase(const AttentionCase& fused)
    : fused_(fused),
      row_block_(std::min(fused.shape().queries, 128U)),
      padded_keys_(static_cast<std::uint32_t>(round_up(fused.shape().keys, panel_width))),
      packed_keys_(fused.shape().cached ? 0 : std::size_t{padded_keys_} * fused.shape().head_dim),
      queries_(std::size_t{row_block_} * fused.shape().head_dim),
      scores_(std::size_t{row_block_} * padded_keys_),
      maxima_(std::size_t{row_block_} * panel_width),
      sums_(maxima_.size()),
      maxima_before_(maxima_.size()),
      sums_before_(maxima_.size()),
      result_(queries_.size()) {}

void UnfusedCase::run() {
  for_rows(&UnfusedCase::run_whole);
}

void UnfusedCase::run_by_blocks() {
  for_rows(&UnfusedCase::run_blocks);
}

void UnfusedCase::for_rows(void (UnfusedCase::*run_part)(const Part&)) {
  const AttentionShape& s = fused_.shape();
  for (std::uint32_t head = 0; head < s.heads; ++head) {
    pack_keys(head / (s.heads / s.kv_heads));
    for (std::uint32_t first = 0; first < s.queries; first += row_block_) {
      (this->*run_part)({head, first, std::min(row_block_, s.queries - first), 0, s.keys});
    }
  }
}

void UnfusedCase::pack_keys(std::uint32_t kv_head) {
  const AttentionShape& s = fused_.shape();
  if (s.cached) {
    const Reads cached = fused_.cache_reads();
    key_panels_ = cached.first.data() + cached.first.size() / s.kv_heads * kv_head;
    values_ = cached.second.data() + cached.second.size() / s.kv_heads * kv_head;
    value_row_ = static_cast<std::ptrdiff_t>(fused_.cache().plan().value_width);
    return;
  }
  const std::size_t head_size = std::size_t{s.keys} * s.head_dim;
  const float* keys = fused_.tensors().key + kv_head * head_size;
  for (std::uint32_t key = 0; key < s.keys; key += panel_width) {
    const std::uint32_t count = std::min(panel_width, s.keys - key);
    const float* rows[panel_width];
    for (std::uint32_t r = 0; r < count; ++r) rows[r] = keys + std::size_t{key + r} * s.head_dim;
    detail::to_panel(rows, count, s.head_dim, 1.0F, packed_keys_.data() + std::size_t{key} * s.head_dim);
  }
  key_panels_ = packed_keys_.data();
  values_ = fused_.tensors().value + kv_head * head_size;
  value_row_ = s.head_dim;
}

float* UnfusedCase::output_of(const Part& part) const {
  const AttentionShape& s = fused_.shape();
  return fused_.tensors().output + (std::size_t{part.head} * s.queries + part.first) * s.head_dim;
}

void UnfusedCase::scale_queries(const Part& part) {
  const AttentionShape& s = fused_.shape();
  const std::size_t row_at = (std::size_t{part.head} * s.queries + part.first) * s.head_dim;
  const float scale = 1.44269504F / std::sqrt(static_cast<float>(s.head_dim));  // exp is taken in base 2
  for (std::size_t i = 0; i < std::size_t{part.rows} * s.head_dim; ++i) {
    queries_[i] = fused_.tensors().query[row_at + i] * scale;
  }
}

void UnfusedCase::score(const Part& part) {
  const auto width = static_cast<std::ptrdiff_t>(fused_.shape().head_dim);
  detail::Gemm scores{.a = queries_.data(),
                      .a_row = width,
                      .a_step = 1,
                      .b = key_panels_ + part.first_key * width,
                      .b_panel = width * panel_width,
                      .b_step = panel_width,
                      .c = scores_.data(),
                      .c_row = static_cast<std::ptrdiff_t>(padded_keys_),
                      .c_panel = panel_width,
                      .start = nullptr,
                      .start_row = 0,
                      .rows = part.rows,
                      .columns = static_cast<std::uint32_t>(round_up(part.keys, panel_width)),
                      .depth = fused_.shape().head_dim};
  detail::multiply(scores);
}

void UnfusedCase::weigh(const Part& part) {
  for (std::size_t row = 0; row < part.rows; ++row) {
    detail::softmax_row(scores_.data() + row * padded_keys_, {0, part.keys}, maxima_[row * panel_width],
                        sums_[row * panel_width]);
  }
}

void UnfusedCase::add_values(const Part& part, float* result) {
  const AttentionShape& s = fused_.shape();
  detail::Gemm weighted{.a = scores_.data(),
                        .a_row = static_cast<std::ptrdiff_t>(padded_keys_),
                        .a_step = 1,
                        .b = values_ + part.first_key * value_row_,
                        .b_panel = panel_width,
                        .b_step = value_row_,
                        .c = result,
                        .c_row = static_cast<std::ptrdiff_t>(s.head_dim),
                        .c_panel = panel_width,
                        .start = nullptr,
                        .start_row = 0,
                        .rows = part.rows,
                        .columns = s.head_dim,
                        .depth = part.keys};
  detail::multiply(weighted);
}

void UnfusedCase::divide(const Part& part, const float* sums) const {
  const std::size_t head_dim = fused_.shape().head_dim;
  float* output = output_of(part);
  for (std::uint32_t row = 0; row < part.rows; ++row, output += head_dim) {
    const float factor = 1.0F / sums[std::size_t{row} * panel_width];
    for (std::size_t d = 0; d < head_dim; ++d) output[d] *= factor;
  }
}

void UnfusedCase::run_whole(const Part& part) {
  scale_queries(part);
  score(part);
  weigh(part);
  add_values(part, output_of(part));
  divide(part, sums_.data());
}

void UnfusedCase::run_blocks(const Part& part) {
  const std::uint32_t head_dim = fused_.shape().head_dim;
  scale_queries(part);
  for (std::uint32_t key = 0; key < part.keys; key += block_keys) {
    const Part block{part.head, part.first, part.rows, key, std::min(block_keys, part.keys - key)};
    score(block);
    weigh(block);
    if (key == 0) {
      add_values(block, output_of(part));
      std::swap(maxima_, maxima_before_);
      std::swap(sums_, sums_before_);
      continue;
    }
    add_values(block, result_.data());
    float* output = output_of(part);
    for (std::size_t row = 0; row < part.rows; ++row, output += head_dim) {
      const std::size_t at = row * panel_width;
      float before[panel_width];
      detail::merge_statistics(&maxima_[at], &sums_[at], &maxima_before_[at], &sums_before_[at], before);
      detail::merge_row(&result_[row * head_dim], before[0], maxima_[at], head_dim, output);
    }
  }
  divide(part, sums_before_.data());
}

}  // namespace heed::bench
