/* SPDX-License-Identifier: MIT
 *
 * Weights in 32, 16, 8 or 4 bits, and what reads them; linear.hpp says more. heed_layer_weights.h and heed_model.h have
 * what takes them.
 */
#ifndef HEED_HEED_WEIGHTS_H
#define HEED_HEED_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How weights are stored. q is an integer; scales decode it, exactly. */
typedef uint32_t heed_weight_type;
enum {
  HEED_WEIGHT_FLOAT32 = 0,     /* as given */
  HEED_WEIGHT_FLOAT16 = 1,     /* IEEE binary16 */
  HEED_WEIGHT_BFLOAT16 = 2,    /* the upper half of a float */
  HEED_WEIGHT_INT8 = 3,        /* q * scale, q in -128..127; a scale for each output */
  HEED_WEIGHT_INT8_GROUPS = 4, /* the same; a scale for each output and group of HEED_WEIGHT_GROUP_SIZE inputs */
  HEED_WEIGHT_INT4_GROUPS = 5  /* the same with q in -8..7 */
};

#define HEED_WEIGHT_GROUP_SIZE 32

/* The kernels of one type of weights. A program calls the functions of the types that it reads, and links the kernels
 * of no others; float32 needs none. They return an object in static storage, never null, and may be called at any
 * time. */
typedef struct heed_weight_format heed_weight_format;
const heed_weight_format* heed_float16_weights(void);
const heed_weight_format* heed_bfloat16_weights(void);
const heed_weight_format* heed_int8_weights(void);
const heed_weight_format* heed_int8_group_weights(void);
const heed_weight_format* heed_int4_group_weights(void);

/* Packed weights and what reads them. */
typedef struct heed_packed_weights {
  const void* bytes; /* on a HEED_ARENA_ALIGNMENT boundary */
  size_t size;
  const heed_weight_format* format; /* null: float32 */
} heed_packed_weights;

#ifdef __cplusplus
}
#endif
#endif
