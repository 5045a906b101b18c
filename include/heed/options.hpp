// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/attention.hpp"
#include "heed/executor.hpp"
#include "heed/heed_options.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

class KvCache;

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
