// SPDX-License-Identifier: MIT
//
// The C interface of merging.
#include <cstddef>
#include <cstdint>

#include "heed/attention.hpp"
#include "heed/heed_attention.h"

heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                       const heed_partial_attention* parts, size_t part_count, heed_tensor output, float* log_sum_exp) {
  if (parts == nullptr && part_count != 0) return heed::Status::null_pointer;
  return heed::merge(batch, heads, queries, value_dim, {parts, part_count}, output, log_sum_exp);
}
