/* SPDX-License-Identifier: MIT
 *
 * Attention over parts of the keys, merged; merge.hpp says more.
 */
#ifndef HEED_HEED_MERGE_H
#define HEED_HEED_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

/* What attention wrote for a part of the keys. */
HEED_STRUCT(heed_partial_attention, PartialAttention) {
  heed_const_tensor output HEED_ZERO; /* [batch, heads, queries, value_dim] */
  const float* log_sum_exp HEED_ZERO; /* [batch, heads, queries] */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Attention over the keys of all parts together, each summed with the weight exp(its log-sum-exp - that of all), in the
 * order given. `output` and `log_sum_exp` (or null) may be those of the first part. A part is not read in the rows
 * where its log-sum-exp is -inf; without parts, or where that of every part is, the result is 0 and -inf.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_STRIDE. */
HEED_MUST_USE heed_status heed_merge(uint32_t batch, uint32_t heads, uint32_t queries, uint32_t value_dim,
                                     const heed_partial_attention* parts, size_t part_count, heed_tensor output,
                                     float* log_sum_exp);

#ifdef __cplusplus
}
#endif
#endif
