// SPDX-License-Identifier: MIT
#include "cases/unfused_case.hpp"

#include <algorithm>
#include <cmath>
#include <kernels/softmax.hpp>
#include <kernels/transpose.hpp>
#include <product/gemm.hpp>

namespace heed::bench {

UnfusedCase::UnfusedCase(const AttentionCase& fused)
    : fused_(fused),
      row_block_(std::min(fused.shape().queries, 128U)),
      padded_keys_(static_cast<std::uint32_t>(round_up(fused.shape().keys, panel_width))),
      packed_keys_(fused.shape().cached ? 0 : std::size_t{padded_keys_} * fused.shape().head_dim),
      queries_(std::size_t{row_block_} * fused.shape().head_dim),
      scores_(std::size_t{row_block_} * padded_keys_),
      sums_(row_block_) {}

void UnfusedCase::run() {
  const AttentionShape& s = fused_.shape();
  for (std::uint32_t head = 0; head < s.heads; ++head) {
    pack_keys(head / (s.heads / s.kv_heads));
    for (std::uint32_t first = 0; first < s.queries; first += row_block_) {
      run_rows(head, first, std::min(row_block_, s.queries - first));
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

void UnfusedCase::run_rows(std::uint32_t head, std::uint32_t first, std::uint32_t rows) {
  const AttentionShape& s = fused_.shape();
  const std::size_t head_dim = s.head_dim;
  const auto width = static_cast<std::ptrdiff_t>(head_dim);
  const auto score_row = static_cast<std::ptrdiff_t>(padded_keys_);
  const std::size_t row_at = (std::size_t{head} * s.queries + first) * head_dim;
  const float scale = 1.44269504F / std::sqrt(static_cast<float>(s.head_dim));  // exp is taken in base 2
  for (std::size_t i = 0; i < rows * head_dim; ++i) queries_[i] = fused_.tensors().query[row_at + i] * scale;
  detail::Gemm scores{.a = queries_.data(),
                      .a_row = width,
                      .a_step = 1,
                      .b = key_panels_,
                      .b_panel = width * panel_width,
                      .b_step = panel_width,
                      .c = scores_.data(),
                      .c_row = score_row,
                      .c_panel = panel_width,
                      .start = nullptr,
                      .start_row = 0,
                      .rows = rows,
                      .columns = padded_keys_,
                      .depth = s.head_dim};
  detail::multiply(scores);
  for (std::uint32_t row = 0; row < rows; ++row) {
    float maximum = 0;
    detail::softmax_row(scores_.data() + row * score_row, {0, s.keys}, maximum, sums_[row]);
  }
  float* output = fused_.tensors().output + row_at;
  detail::Gemm weighted{.a = scores_.data(),
                        .a_row = score_row,
                        .a_step = 1,
                        .b = values_,
                        .b_panel = panel_width,
                        .b_step = value_row_,
                        .c = output,
                        .c_row = width,
                        .c_panel = panel_width,
                        .start = nullptr,
                        .start_row = 0,
                        .rows = rows,
                        .columns = s.head_dim,
                        .depth = s.keys};
  detail::multiply(weighted);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const float factor = 1.0F / sums_[row];
    for (std::size_t d = 0; d < head_dim; ++d) output[row * head_dim + d] *= factor;
  }
}

}  // namespace heed::bench
