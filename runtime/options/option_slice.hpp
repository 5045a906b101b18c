// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/causal_masking.hpp"
#include "heed/attention.hpp"
#include "heed/options.hpp"

namespace heed::detail {

/// A call's options for a slice of its queries, which is a call of its own with one batch entry; every member of
/// AttentionOptions is cut here. `inputs` is that call, with `causal` and `causal_offset` of the whole one, which
/// become those of the slice. `scores` becomes where the slice's scores are written, or null if none of them is
/// selected. The result points to `query_length`, which receives how many queries of the slice exist.
[[nodiscard]] AttentionOptions slice_options(const AttentionOptions& options, const QuerySlice& slice,
                                             AttentionInputs& inputs, MutableTensor& scores,
                                             std::uint32_t& query_length) noexcept;

}  // namespace heed::detail
