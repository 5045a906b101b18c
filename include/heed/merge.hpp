// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "heed/heed_merge.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

/// Attention over the keys of all parts together, from attend()'s result for each: a long context in pieces, or a part
/// of it that several sequences share. Parts are summed in the order given, each with the weight
/// exp(its log-sum-exp - that of all). `output` [batch, heads, queries, value_dim] and `log_sum_exp` (or null) may be
/// those of the first part. Every dimension is at least 1; without parts, or where the log-sum-exp of every part is
/// -inf, the result is 0 and -inf. A part is not read in the rows where its log-sum-exp is -inf.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride.
[[nodiscard]] Status merge(std::uint32_t batch, std::uint32_t heads, std::uint32_t queries, std::uint32_t value_dim,
                           std::span<const PartialAttention> parts, MutableTensor output, float* log_sum_exp) noexcept;

}  // namespace heed
