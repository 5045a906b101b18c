/* SPDX-License-Identifier: MIT
 *
 * Numbers for the biases of heed_options.h: ALiBi's slopes and T5's relative positions; biases.hpp says more.
 */
#ifndef HEED_HEED_BIASES_H
#define HEED_HEED_BIASES_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_options.h"
#include "heed/heed_types.h"

/* Directions of T5's relative positions. */
HEED_ENUM(heed_relative_directions, RelativeDirections, uint32_t){
    HEED_VALUE(HEED_RELATIVE_BIDIRECTIONAL,
               bidirectional),               /* encoders: keys after their query have their own buckets */
    HEED_VALUE(HEED_RELATIVE_CAUSAL, causal) /* decoders: keys after their query count as at distance 0 */
};

/* How T5 puts relative positions into buckets (Raffel et al. 2020, arXiv:1910.10683): half of the buckets of a
 * direction hold one distance each, the others grow by a constant ratio up to max_distance, and the last holds all
 * beyond. */
HEED_STRUCT(heed_relative_buckets_config, RelativeBucketsConfig) {
#ifdef HEED_CPP
  using Directions = RelativeDirections;
#endif
  /* Rows of the embedding, of `bidirectional` half for each direction; 2..128 per direction; 0 means 32. */
  uint32_t num_buckets HEED_ZERO;
  uint32_t max_distance HEED_ZERO; /* more than half of a direction's buckets, below 2^30; 0 means 128 */
  heed_relative_directions directions HEED_ZERO;
};

HEED_STRUCT(heed_relative_buckets_plan, RelativeBucketsPlan) {
  heed_relative_buckets_config config HEED_ZERO;
  uint32_t per_direction HEED_ZERO;
  uint32_t exact HEED_ZERO; /* buckets of a direction that hold one distance each */
  uint32_t left HEED_ZERO;  /* of the relative bias, as `right` */
  uint32_t right HEED_ZERO;
  uint32_t columns HEED_ZERO;    /* left + 1 + right: floats per head in the table of a relative bias */
  uint32_t limits[64] HEED_ZERO; /* the least distance of bucket exact + k */
};

#ifdef __cplusplus
extern "C" {
#endif

/* ALiBi's slopes for alibi_slopes: writes the first `heads` (1..65536) of slope_count floats.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_ARENA_TOO_SMALL. */
HEED_MUST_USE heed_status heed_alibi_slopes(uint32_t heads, float* slopes, size_t slope_count);

/* Writes the plan of a configuration; *plan is left as it was if there is none.
 * Statuses: HEED_BAD_OPTION, HEED_TOO_LARGE. */
HEED_MUST_USE heed_status heed_plan_relative_buckets(const heed_relative_buckets_config* config,
                                                     heed_relative_buckets_plan* plan);

/* The bucket of a key at key position - query position; 0 for a null plan. */
uint32_t heed_relative_bucket(const heed_relative_buckets_plan* plan, int32_t relative_position);

/* Lays out T5's embedding, dense [buckets, heads] with embedding_elements floats, as a table in `values`, of which
 * value_count floats are there and heads * plan->columns needed, and sets *bias to it.
 * Statuses: HEED_NOT_INITIALISED, HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_NULL_POINTER, HEED_BAD_LENGTH (the
 * embedding), HEED_ARENA_TOO_SMALL (the values). */
HEED_MUST_USE heed_status heed_expand_relative_bias(const heed_relative_buckets_plan* plan, const float* embedding,
                                                    size_t embedding_elements, uint32_t heads, float* values,
                                                    size_t value_count, heed_relative_bias* bias);

#ifdef __cplusplus
}
#endif
#endif
