// SPDX-License-Identifier: MIT
//
// ONNX Attention 23, 24 and 25 in double precision, after the operator's function body: biases are tensors of numbers
// that are added up, and only the rows without a key are a case of their own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "command/command.hpp"
#include "support/reference.hpp"

namespace heed::test {

/// attn_mask of any rank up to 4; of truth values, or of numbers.
struct OnnxMask {
  Shape shape;
  std::vector<float> values;
  bool is_bool = false;
};

/// Inputs and attributes by their names in the operator. Tensors are [batch, heads, sequence, size].
struct OnnxCase {
  AttentionShape shape;  ///< keys: kv_sequence_length
  std::vector<float> q, k, v;
  std::optional<OnnxMask> attn_mask{};
  std::size_t past_sequence_length = 0;
  std::vector<float> past_key{}, past_value{};
  std::vector<std::int64_t> nonpad_kv_seqlen{};
  bool is_causal = false;
  double scale = 0.0, softcap = 0.0;
  std::int64_t left_window_size = -1, right_window_size = -1;

  [[nodiscard]] std::size_t total() const { return past_sequence_length + shape.keys; }
};

struct OnnxResult {
  std::vector<double> y, present_key, present_value;
  std::vector<double> qk_matmul_output[4];  ///< by qk_matmul_output_mode
};

/// Concat along the sequence.
inline std::vector<double> concatenate(const std::vector<float>& past, const std::vector<float>& now, std::size_t heads,
                                       std::size_t past_rows, std::size_t rows, std::size_t size) {
  std::vector<double> all;
  for (std::size_t head = 0; head < heads; ++head) {
    all.insert(all.end(), past.begin() + static_cast<std::ptrdiff_t>(head * past_rows * size),
               past.begin() + static_cast<std::ptrdiff_t>((head + 1) * past_rows * size));
    all.insert(all.end(), now.begin() + static_cast<std::ptrdiff_t>(head * rows * size),
               now.begin() + static_cast<std::ptrdiff_t>((head + 1) * rows * size));
  }
  return all;
}

/// The mask's summand for one score, after padding to the total length and broadcasting.
inline double mask_term(const OnnxMask& mask, const std::size_t (&at)[4]) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t rank = mask.shape.size();
  if (at[3] >= mask.shape.back()) return -infinity;
  std::size_t index = 0;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t place = axis + 1 == rank || mask.shape[axis] != 1 ? at[4 - rank + axis] : 0;
    index = index * mask.shape[axis] + place;
  }
  const auto value = static_cast<double>(mask.values[index]);
  if (!mask.is_bool) return value;
  return value != 0.0 ? 0.0 : -infinity;
}

/// The sum of mask, causal, window and padding bias for one score.
inline double attention_bias(const OnnxCase& c, const std::size_t (&at)[4]) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto query = static_cast<std::int64_t>(at[2]);
  const auto key = static_cast<std::int64_t>(at[3]);
  std::int64_t offset = 0;
  if (c.past_sequence_length != 0) {
    offset = static_cast<std::int64_t>(c.past_sequence_length);
  } else if (!c.nonpad_kv_seqlen.empty()) {
    offset = c.nonpad_kv_seqlen[at[0]] - static_cast<std::int64_t>(c.shape.queries);
  }
  double bias = c.attn_mask ? mask_term(*c.attn_mask, at) : 0.0;
  if (c.is_causal && key > query + offset) bias += -infinity;
  if (c.left_window_size >= 0 && key < query + offset - c.left_window_size) bias += -infinity;
  if (c.right_window_size >= 0 && key > query + offset + c.right_window_size) bias += -infinity;
  if (!c.nonpad_kv_seqlen.empty() && key >= c.nonpad_kv_seqlen[at[0]]) bias += -infinity;
  return bias;
}

inline OnnxResult onnx_attention(const OnnxCase& c) {
  const AttentionShape& s = c.shape;
  const std::size_t total = c.total();
  const double scale = std::sqrt(c.scale != 0.0 ? c.scale : 1.0 / std::sqrt(static_cast<double>(s.head_dim)));
  OnnxResult r;
  const std::size_t streams = std::size_t{s.batch} * s.kv_heads;
  r.present_key = concatenate(c.past_key, c.k, streams, c.past_sequence_length, s.keys, s.head_dim);
  r.present_value = concatenate(c.past_value, c.v, streams, c.past_sequence_length, s.keys, s.value_dim);
  for (std::size_t row = 0; row < std::size_t{s.batch} * s.heads * s.queries; ++row) {
    const std::size_t query = row % s.queries, head = row / s.queries % s.heads, batch = row / s.queries / s.heads;
    const std::size_t kv = batch * s.kv_heads + head / (s.heads / s.kv_heads);
    std::vector<double> biased;
    for (std::size_t key = 0; key < total; ++key) {
      double product = 0.0;
      for (std::size_t d = 0; d < s.head_dim; ++d) {
        product += scale * c.q[row * s.head_dim + d] * (scale * r.present_key[(kv * total + key) * s.head_dim + d]);
      }
      r.qk_matmul_output[0].push_back(product);
      if (c.softcap > 0.0) product = c.softcap * std::tanh(product / c.softcap);
      r.qk_matmul_output[1].push_back(product);
      biased.push_back(product + attention_bias(c, {batch, head, query, key}));
      r.qk_matmul_output[2].push_back(biased.back());
    }
    const double greatest = *std::max_element(biased.begin(), biased.end());
    double sum = 0.0;
    for (double& x : biased) sum += x = std::isinf(greatest) ? 0.0 : std::exp(x - greatest);
    for (double& x : biased) r.qk_matmul_output[3].push_back(x = sum == 0.0 ? 0.0 : x / sum);
    for (std::size_t d = 0; d < s.value_dim; ++d) {
      double y = 0.0;
      for (std::size_t key = 0; key < total; ++key) {
        y += biased[key] * r.present_value[(kv * total + key) * s.value_dim + d];
      }
      r.y.push_back(y);
    }
  }
  return r;
}

}  // namespace heed::test
