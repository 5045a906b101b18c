// SPDX-License-Identifier: MIT
//
// The C interface of merging, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_merge.h"
#include "heed/merge.hpp"

namespace {

using heed::PartialAttention;
using heed::detail::same_size;

static_assert(same_size<heed_partial_attention, PartialAttention>);
HEED_SAME_MEMBER(heed_partial_attention, PartialAttention, output);
HEED_SAME_MEMBER(heed_partial_attention, PartialAttention, log_sum_exp);

}  // namespace

heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                       const heed_partial_attention* parts, size_t part_count, heed_tensor output, float* log_sum_exp) {
  if (parts == nullptr && part_count != 0) return HEED_NULL_POINTER;
  const PartialAttention* const twins = parts == nullptr ? nullptr : &heed::detail::in_place<PartialAttention>(*parts);
  return heed::detail::answer(heed::merge(batch, heads, queries, value_dim, {twins, part_count},
                                          std::bit_cast<heed::MutableTensor>(output), log_sum_exp));
}
