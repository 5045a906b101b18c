/* SPDX-License-Identifier: MIT
 *
 * From a model's logits to probabilities and to the tokens or labels that it prefers; logits.hpp says more.
 */
#ifndef HEED_HEED_LOGITS_H
#define HEED_HEED_LOGITS_H

#include <stdint.h>

#include "heed/heed_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* probabilities[i] = e^(logits[i] / temperature) / their sum, for logits [count]; probabilities [count] are the logits
 * themselves or do not overlap them. count is at most 2^24, temperature from 2^-126 to 2^126.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE, HEED_BAD_SCALE (temperature), HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_softmax(const float* logits, uint32_t count, float temperature, float* probabilities);

/* The index of the greatest of logits [count], the lowest among equals; NaN is less than any number. 0 if there is no
 * number, and for null logits. */
uint32_t heed_argmax(const float* logits, uint32_t count);

/* indices [k]: those of the k greatest of logits [count], in descending order of the logits and ascending among equals.
 * Statuses: HEED_ZERO_DIMENSION, HEED_TOO_LARGE (count above 2^24), HEED_BAD_LENGTH (k above count),
 * HEED_NULL_POINTER. */
HEED_MUST_USE heed_status heed_top_k(const float* logits, uint32_t count, uint32_t k, uint32_t* indices);

#ifdef __cplusplus
}
#endif
#endif
