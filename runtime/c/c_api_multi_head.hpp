// SPDX-License-Identifier: MIT
//
// What a call of a layer reads and writes, as in multi_head.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_multi_head.h"
#include "heed/multi_head.hpp"

namespace heed::detail {

static_assert(same_size<heed_multi_head_inputs, MultiHeadInputs>);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, batch);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, tokens);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, input);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, sequence_ids);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, key_lengths);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, causal_offset);
HEED_SAME_MEMBER(heed_multi_head_inputs, MultiHeadInputs, scale);

static_assert(same_size<heed_multi_head_outputs, MultiHeadOutputs>);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, output);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, head_outputs);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, scores);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, score_stage);
HEED_SAME_MEMBER(heed_multi_head_outputs, MultiHeadOutputs, log_sum_exp);

[[nodiscard]] inline MultiHeadInputs twin_of(const heed_multi_head_inputs& inputs) noexcept {
  auto twin = std::bit_cast<MultiHeadInputs>(inputs);
  twin.batch = at_least_one(twin.batch);
  return twin;
}

}  // namespace heed::detail
