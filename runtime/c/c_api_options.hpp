// SPDX-License-Identifier: MIT
//
// The options of heed_options.h as those of options.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_options.h"
#include "heed/options.hpp"

namespace heed::detail {

static_assert(same_size<heed_bool_mask, BoolMask>);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, data);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, batch_stride);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, head_stride);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, query_stride);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, key_count);
HEED_SAME_MEMBER(heed_bool_mask, BoolMask, format);

static_assert(same_size<heed_score_bias, ScoreBias>);
HEED_SAME_MEMBER(heed_score_bias, ScoreBias, data);
HEED_SAME_MEMBER(heed_score_bias, ScoreBias, key_count);

static_assert(same_size<heed_relative_bias, RelativeBias>);
HEED_SAME_MEMBER(heed_relative_bias, RelativeBias, values);
HEED_SAME_MEMBER(heed_relative_bias, RelativeBias, head_stride);
HEED_SAME_MEMBER(heed_relative_bias, RelativeBias, left);
HEED_SAME_MEMBER(heed_relative_bias, RelativeBias, right);

static_assert(same_size<heed_score_selection, ScoreSelection>);
HEED_SAME_MEMBER(heed_score_selection, ScoreSelection, first_head);
HEED_SAME_MEMBER(heed_score_selection, ScoreSelection, head_count);
HEED_SAME_MEMBER(heed_score_selection, ScoreSelection, first_query);
HEED_SAME_MEMBER(heed_score_selection, ScoreSelection, query_count);

static_assert(same_size<heed_attention_options, AttentionOptions>);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, causal_offsets);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, query_lengths);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, prefix_lengths);
static_assert(offsetof(heed_attention_options, window_keys_left) == offsetof(AttentionOptions, window_left));
static_assert(offsetof(heed_attention_options, window_keys_right) == offsetof(AttentionOptions, window_right));
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, bool_mask);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, additive_mask);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, pre_softcap_bias);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, softcap);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, alibi_slopes);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, relative_bias);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, sink_logits);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, score_selection);
HEED_SAME_MEMBER(heed_attention_options, AttentionOptions, smooth_softmax);

static_assert(HEED_MASK_BYTES == static_cast<int>(MaskFormat::bytes));
static_assert(HEED_MASK_BITS == static_cast<int>(MaskFormat::bits));

/// Gives numbers the meaning that they have in the C++ twin.
inline void adapt(heed_attention_options& options) noexcept {
  // 0 wraps around to -1, and what is above 2^31 to less than that, which is refused.
  --options.window_keys_left;
  --options.window_keys_right;
  options.smooth_softmax = options.smooth_softmax != 0 ? 1 : 0;
}

/// Options whose twin in their place is that of the caller's. Null options are none.
[[nodiscard]] inline heed_attention_options adapted(const heed_attention_options* options) noexcept {
  heed_attention_options made = options == nullptr ? heed_attention_options{} : *options;
  adapt(made);
  return made;
}

}  // namespace heed::detail
