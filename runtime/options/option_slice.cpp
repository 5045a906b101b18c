// SPDX-License-Identifier: MIT
#include "options/option_slice.hpp"

#include "attention/causal_masking.hpp"
#include "common/key_range.hpp"
#include "options/options_check.hpp"

namespace heed::detail {
namespace {

[[nodiscard]] BoolMask slice_mask(BoolMask mask, const QuerySlice& slice) noexcept {
  if (mask.data != nullptr) {
    mask.data += static_cast<std::ptrdiff_t>(slice.batch) * mask.batch_stride +
                 static_cast<std::ptrdiff_t>(slice.first) * mask.query_stride;
  }
  return mask;
}

[[nodiscard]] ScoreBias slice_bias(ScoreBias bias, const QuerySlice& slice) noexcept {
  if (bias.data.data != nullptr) bias.data.data = bias.data.row(slice.batch, 0, slice.first);
  return bias;
}

/// The selected queries among those of the slice; `scores` begins with those of the first selected query of all.
[[nodiscard]] ScoreSelection slice_selection(ScoreSelection selection, const QuerySlice& slice,
                                             MutableTensor& scores) noexcept {
  if (scores.data == nullptr) return selection;
  const std::uint32_t end = selection.first_query + selected(selection.query_count, selection.first_query, slice.all);
  const std::uint32_t from = selection.first_query > slice.first ? selection.first_query : slice.first;
  const std::uint32_t to = least(end, slice.first + slice.count);
  if (from >= to) {
    scores.data = nullptr;
    return {};
  }
  scores.data = scores.row(0, 0, from - selection.first_query);
  selection.first_query = from - slice.first;
  selection.query_count = to - from;
  return selection;
}

}  // namespace

AttentionOptions slice_options(const AttentionOptions& options, const QuerySlice& slice, AttentionInputs& inputs,
                               MutableTensor& scores, std::uint32_t& query_length) noexcept {
  // By name and all of them, so that this does not compile with a member that nobody has thought of here.
  const auto& [causal_offsets, query_lengths, prefix_lengths, left_window, right_window, bool_mask, additive_mask,
               pre_softcap_bias, softcap, alibi_slopes, relative_bias, sink_logits, score_selection, smooth_softmax] =
      options;
  const std::uint32_t queries = query_lengths != nullptr ? query_lengths[slice.batch] : slice.all;
  query_length = queries > slice.first ? least(queries - slice.first, slice.count) : 0;
  if (causal_offsets != nullptr) inputs.causal_offset = causal_offsets[slice.batch];
  slice_causal(slice, queries, inputs);
  return {.causal_offsets = nullptr,
          .query_lengths = query_lengths != nullptr ? &query_length : nullptr,
          .prefix_lengths = prefix_lengths != nullptr ? prefix_lengths + slice.batch : nullptr,
          .left_window = left_window,
          .right_window = right_window,
          .bool_mask = slice_mask(bool_mask, slice),
          .additive_mask = slice_bias(additive_mask, slice),
          .pre_softcap_bias = slice_bias(pre_softcap_bias, slice),
          .softcap = softcap,
          .alibi_slopes = alibi_slopes,
          .relative_bias = relative_bias,
          .sink_logits = sink_logits,
          .score_selection = slice_selection(score_selection, slice, scores),
          .smooth_softmax = smooth_softmax};
}

}  // namespace heed::detail
