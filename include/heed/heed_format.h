/* SPDX-License-Identifier: MIT
 *
 * How the numbers of weights, keys and values are stored, and the values that a program names to have it: a program
 * links the formats, the ring and the pages that it names, and no others. format.hpp says more.
 */
#ifndef HEED_HEED_FORMAT_H
#define HEED_HEED_FORMAT_H

#include <stdint.h>

/* Inputs of a matrix, or channels of a key or a value, that share a scale in a type with groups. */
#define HEED_SCALE_GROUP_SIZE 32

/* How numbers are stored. q is an integer; scales dequantize it, exactly. */
typedef uint32_t heed_data_type;
enum {
  HEED_DATA_TYPE_FLOAT32 = 0,      /* as given */
  HEED_DATA_TYPE_FLOAT16 = 1,      /* IEEE binary16 */
  HEED_DATA_TYPE_BFLOAT16 = 2,     /* the upper half of a float */
  HEED_DATA_TYPE_INT8 = 3,         /* q * scale; a scale for each output of a matrix, or each token and kv head */
  HEED_DATA_TYPE_INT8_GROUPS = 4,  /* weights: q in -128..127; a scale for each output and group of inputs */
  HEED_DATA_TYPE_INT4_GROUPS = 5,  /* weights: the same with q in -8..7 */
  HEED_DATA_TYPE_INT4 = 6,         /* caches: q in -7..7; a scale for each token, kv head and group of channels */
  HEED_DATA_TYPE_INT8_CHANNELS = 7 /* keys: q in -127..127; scales from heed_kv_cache_set_key_scales() */
};

/* In C++ they are what they are in format.hpp. */
#ifdef __cplusplus
namespace heed {
struct Format;
struct KvRing;
struct KvPages;
}  // namespace heed
typedef heed::Format heed_format;
typedef heed::KvRing heed_ring_rules;
typedef heed::KvPages heed_page_rules;
extern "C" {
#else
typedef struct heed_format heed_format;
typedef struct heed_ring_rules heed_ring_rules;
typedef struct heed_page_rules heed_page_rules;
#endif

/* What stores and reads numbers of one type. float32 needs none. */
extern const heed_format heed_float16_weights;
extern const heed_format heed_bfloat16_weights;
extern const heed_format heed_int8_weights;
extern const heed_format heed_int8_group_weights;
extern const heed_format heed_int4_group_weights;

extern const heed_format heed_float16_cache;
extern const heed_format heed_bfloat16_cache;
extern const heed_format heed_int8_cache;
extern const heed_format heed_int4_cache;
extern const heed_format heed_int8_channel_keys;

/* What a cache does when every slot is in use and its configuration has a ring: a token overwrites the oldest. The
 * first is all that prefill and decode of a layer need, without options that depend on positions; the second is for
 * windows, ALiBi, relative biases, query lengths, and attention of several queries with a causal mask, too. */
extern const heed_ring_rules heed_kv_ring;
extern const heed_ring_rules heed_kv_ring_with_positions;

/* Sequences of a cache as pages that a table orders. */
extern const heed_page_rules heed_kv_pages;

/* How a cache stores, beyond float32 in the slots of a sequence. What a plan needs and a program has not named is
 * refused (HEED_MISSING_FORMAT). Where a call takes one, null is one of zeros. */
typedef struct heed_kv_storage {
  const heed_format* formats[3]; /* of keys, of values and of cross-attention, in any order; each once */
  const heed_ring_rules* ring;   /* null: none */
  const heed_page_rules* pages;  /* null: none */
} heed_kv_storage;

#ifdef __cplusplus
}
#endif
#endif
