/* SPDX-License-Identifier: MIT
 *
 * Packed weights, and what reads them; linear.hpp says more. heed_multi_head.h and heed_model.h have what takes them.
 */
#ifndef HEED_HEED_WEIGHTS_H
#define HEED_HEED_WEIGHTS_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_format.h"
#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A matrix in the packed weights. */
typedef struct heed_linear_plan {
  uint32_t inputs, outputs;
  heed_data_type type;
  heed_region weights, scales, bias;
  uint32_t bytes, staging_bytes;
} heed_linear_plan;

/* Packed weights and what reads them. */
typedef struct heed_packed_weights {
  const void* bytes; /* on a HEED_ARENA_ALIGNMENT boundary */
  size_t size;
  const heed_format* format; /* null: float32 */
} heed_packed_weights;

#ifdef __cplusplus
}
#endif
#endif
