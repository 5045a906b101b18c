// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/attention.hpp"
#include "heed/executor.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

class KvCache;

/// The memory format of a bool mask.
enum class MaskFormat : std::uint8_t {
  bytes,  ///< one byte per key; anything but 0 is true
  bits,   ///< eight keys per byte, lowest bit first; every row starts at a byte
};

/// Which keys each query may see: [batch, heads, queries, keys], true = attend. Strides are in bytes; a stride of 0
/// repeats the mask along its dimension. Keys from key_count on are not seen.
struct BoolMask {
  const std::uint8_t* data = nullptr;  ///< null: no mask
  std::ptrdiff_t batch_stride = 0;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t query_stride = 0;
  std::uint32_t key_count = 0;
  MaskFormat format = MaskFormat::bytes;
};

/// Numbers that are added to the scores: [batch, heads, queries, keys], strides in elements, 0 repeats. In a mask, -inf
/// and anything else below -2.35e38 means that the key is not seen, whatever its score; keys from key_count on are not
/// seen either. A pre-softcap bias adds nothing to keys from key_count on.
struct ScoreBias {
  ConstTensor data{};  ///< data.data null: none
  std::uint32_t key_count = 0;
};

/// A bias that depends on the distance of a key from its query alone: the key at position p adds
/// values[h * head_stride + clamp(p - query position, -left, right) + left] to the score of head h.
struct RelativeBias {
  const float* values = nullptr;   ///< [heads, left + 1 + right]; null: none
  std::ptrdiff_t head_stride = 0;  ///< in elements; 0 repeats
  std::uint32_t left = 0;          ///< below 2^30, as `right`
  std::uint32_t right = 0;
};

/// The heads and queries whose scores are written, where not all are wanted: AttentionOutputs::scores is
/// then [batch, heads, queries, keys] with these counts.
struct ScoreSelection {
  std::uint32_t first_head = 0;
  std::uint32_t head_count = 0;  ///< 0: all from first_head on
  std::uint32_t first_query = 0;
  std::uint32_t query_count = 0;  ///< 0: all from first_query on
};

/// Everything else that attend() can do. All of it composes:
///
///   score = scale * (query . key) + pre_softcap_bias
///   score = softcap * tanh(score / softcap)
///   score = score + mask + alibi + relative_bias
///   masked keys are excluded
///   weight = exp(score) / (sum over the keys seen of exp(score), + exp(sink))
///
/// A query whose scores are all -inf, by a mask, a bias, a slope or a product, counts as one that sees no key.
///
/// Key j of a batch entry is at position j; query i is at position i + offset, with the offset that `Causal` defines
/// (bottom_right: the key length - the query length). With Causal::none it is causal_offset, which then masks nothing.
/// All masks hold at once: a key is seen if none of them masks it. Sinks do not enter the log-sum-exp, nor give weight
/// to a query that sees no key.
struct AttentionOptions {
  const std::int32_t* causal_offsets = nullptr;   ///< [batch], in place of causal_offset
  const std::uint32_t* query_lengths = nullptr;   ///< [batch] queries that exist, 0..queries; the others get 0
  const std::uint32_t* prefix_lengths = nullptr;  ///< [batch] first keys, which `Causal` never masks
  std::int32_t window_left = -1;                  ///< keys seen before the query's own position; -1: all
  std::int32_t window_right = -1;                 ///< keys seen after it; -1: all

  BoolMask bool_mask{};
  ScoreBias additive_mask{};
  ScoreBias pre_softcap_bias{};
  float softcap = 0.0F;  ///< 1e-30..1e30; 0: none
  /// [heads]: the key at distance d from its query adds -slope * |d|. |d| is exact up to 2^24 - 256, within 2^-23 of
  /// itself up to 2^30 - 256 and taken for about 2^30 beyond. A slope beyond 2.358e38 counts as infinite: then the key
  /// at distance 0 gives NaN.
  const float* alibi_slopes = nullptr;
  RelativeBias relative_bias{};
  const float* sink_logits = nullptr;  ///< [heads] a logit that takes part in the softmax without a key; below 2.358e38
  ScoreSelection score_selection{};
  bool smooth_softmax = false;  ///< a sink of 0 for every head; not with sink_logits
};

/// mean [batch, queries, keys] = the mean over the heads of scores [batch, heads, queries, keys], summed in ascending
/// order: one map for a layer. The mean of finite scores is finite while it is below 3.3e38, however great their sum.
/// Every dimension is at least 1. `mean` may be the first head of `scores`.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride.
[[nodiscard]] Status mean_over_heads(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries,
                                     std::uint32_t keys, ConstTensor scores, MutableMatrix mean) noexcept;

/// attend() with options. A separate function, so that firmware without options links none of this.
/// Statuses: those of attend() without options; bad_option (a window, softcap, sink or mask format outside its range,
/// or two kinds of sinks); bad_length (query_lengths, score_selection); too_large (relative_bias); null_pointer,
/// bad_stride (masks and biases).
[[nodiscard]] Status attend(const AttentionPlan& plan, std::span<std::byte> arena, const AttentionInputs& inputs,
                            const AttentionOptions& options, const AttentionOutputs& outputs,
                            const Executor& executor = {}) noexcept;

}  // namespace heed
