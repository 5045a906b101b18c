/* SPDX-License-Identifier: MIT
 *
 * How the numbers of weights, keys and values are stored, and the values that a program names to have it: a program
 * links the formats, the ring and the pages that it names, and no others. format.hpp says more.
 */
#ifndef HEED_HEED_FORMAT_H
#define HEED_HEED_FORMAT_H

#include <stdint.h>

#include "heed/heed_types.h"

/* Inputs of a matrix, or channels of a key or a value, that share a scale in a type with groups. */
#define HEED_SCALE_GROUP_SIZE 32

/* How numbers are stored. q is an integer; a product q * scale is rounded to float32 once, where that is necessary. */
HEED_ENUM(heed_data_type, DataType, uint32_t){
    HEED_VALUE(HEED_DATA_TYPE_FLOAT32, float32),   /* as given */
    HEED_VALUE(HEED_DATA_TYPE_FLOAT16, float16),   /* IEEE binary16, to nearest even; beyond its range infinity */
    HEED_VALUE(HEED_DATA_TYPE_BFLOAT16, bfloat16), /* the upper half of a float, to nearest even */
    /* q * scale; a float32 scale for each output of a matrix, or for each token and kv head of a cache */
    HEED_VALUE(HEED_DATA_TYPE_INT8, int8),
    /* Weights: q * scale, q in -128..127; a float16 scale for each output and group of 32 consecutive inputs, the last
     * of which may be shorter; what GGUF calls Q8_0. */
    HEED_VALUE(HEED_DATA_TYPE_INT8_GROUPS, int8_groups),
    /* Weights: the same with q in -8..7; what GGUF calls Q4_0. */
    HEED_VALUE(HEED_DATA_TYPE_INT4_GROUPS, int4_groups),
    /* Caches: q * scale, q in -7..7; a bfloat16 scale for each token, kv head and group of 32 consecutive channels, the
     * last of which may be shorter. */
    HEED_VALUE(HEED_DATA_TYPE_INT4, int4),
    /* Keys of a cache: q * scale, q in -127..127; a float32 scale for each kv head and channel, from set_key_scales().
     */
    HEED_VALUE(HEED_DATA_TYPE_INT8_CHANNELS, int8_channels),
    /* Rows of products in integers: q * scale, q in -16383..16383; a float32 scale for each row. */
    HEED_VALUE(HEED_DATA_TYPE_INT16, int16),
    /* Weights of products in integers: q * m * scale, q in -127..127; an integer multiplier m in -63..63 for each
     * output and group of 32 consecutive inputs, and a float32 scale for each output. */
    HEED_VALUE(HEED_DATA_TYPE_INT8_MULTIPLIERS, int8_multipliers),
    /* Weights of products in integers: the same with q in -8..7. */
    HEED_VALUE(HEED_DATA_TYPE_INT4_MULTIPLIERS, int4_multipliers),
    /* Keys and values of a cache, both: the numbers and scales of int8, over which attention is computed in integers.
     */
    HEED_VALUE(HEED_DATA_TYPE_INT8_INTEGER, int8_integer)};

#ifdef __cplusplus
namespace heed {
struct Format;
struct KvRing;
struct KvPages;
}  // namespace heed
typedef heed::Format heed_format;
typedef heed::KvRing heed_ring_rules;
typedef heed::KvPages heed_page_rules;
#else
typedef struct heed_format heed_format;
typedef struct heed_ring_rules heed_ring_rules;
typedef struct heed_page_rules heed_page_rules;
#endif

/* How a cache stores, beyond float32 in the slots of a sequence. What a plan needs and a program has not named is
 * refused (missing_format). Where a call of C takes one, null is one of zeros. */
HEED_STRUCT(heed_kv_storage, KvStorage) {
  const heed_format* formats[3] HEED_ZERO; /* of keys, of values and of cross-attention, in any order; each once */
  const heed_ring_rules* ring HEED_ZERO;   /* null: none */
  const heed_page_rules* pages HEED_ZERO;  /* null: none */
};

#ifdef __cplusplus
extern "C" {
#endif

/* What stores and reads numbers of one type. float32 needs none. */
extern const heed_format heed_float16_weights;
extern const heed_format heed_bfloat16_weights;
extern const heed_format heed_int8_weights;
extern const heed_format heed_int8_group_weights;
extern const heed_format heed_int4_group_weights;

/* The same for weights whose products are computed in integers: their rows are rounded to int8 or int16. */
extern const heed_format heed_int8_integer_weights;
extern const heed_format heed_int8_multiplier_weights;
extern const heed_format heed_int4_multiplier_weights;

/* Both for int8: of a layer or a block where some rows are rounded and others are floats. */
extern const heed_format heed_int8_mixed_weights;

extern const heed_format heed_float16_cache;
extern const heed_format heed_bfloat16_cache;
extern const heed_format heed_int8_cache;
extern const heed_format heed_int4_cache;
extern const heed_format heed_int8_channel_keys;

/* Attention in integers. */
extern const heed_format heed_int8_integer_cache;

/* What a cache does when every slot is in use and its configuration has a ring: a token overwrites the oldest. The
 * first is all that prefill and decode of a layer need, without options that depend on positions; the second is for
 * windows, ALiBi, relative biases, query lengths, and attention of several queries with a causal mask, too. */
extern const heed_ring_rules heed_kv_ring;
extern const heed_ring_rules heed_kv_ring_with_positions;

/* Sequences of a cache as pages that a table orders. */
extern const heed_page_rules heed_kv_pages;

#ifdef __cplusplus
}
#endif
#endif
