/* SPDX-License-Identifier: MIT
 *
 * A token drawn from logits, the same one on every machine; sampling.hpp says more.
 */
#ifndef HEED_HEED_SAMPLING_H
#define HEED_HEED_SAMPLING_H

#include <stddef.h>
#include <stdint.h>

#include "heed/heed_types.h"

/* Random numbers: PCG32, from integers alone. heed_seed_random() comes first. */
#ifdef HEED_CPP
namespace heed {
class RandomBits;
}
using heed_random_bits = heed::RandomBits;
#else
typedef struct heed_random_bits {
  uint64_t state;
} heed_random_bits;
#endif

/* Which tokens may be drawn, and how likely. The temperature comes first, then top_k, then top_p of what is left. Zeros
 * take the likeliest token. */
HEED_STRUCT(heed_sampling, Sampling) {
  float temperature HEED_ZERO; /* divides the logits: 0, which takes the likeliest token, or 0.001 to 1000 */
  uint32_t top_k HEED_ZERO;    /* only the so many likeliest; 0: all */
  float top_p HEED_ZERO;       /* the fewest likeliest whose probabilities reach it, 0 to 1; at least one; 0 means 1 */
};

#ifdef __cplusplus
extern "C" {
#endif

void heed_seed_random(heed_random_bits* random, uint64_t seed);

/* The next 32 bits; 0 for a null pointer. */
uint32_t heed_random_next(heed_random_bits* random);

/* Draws a token, and writes it to *token. logits [count] become weights, and order [order_count], at least count, is
 * room to sort in; a temperature of 0 changes neither, and draws no random number; any other draws one.
 * Statuses: HEED_ZERO_DIMENSION (no logits), HEED_NULL_POINTER, HEED_BAD_LENGTH (fewer places in `order`, or 2^31
 * logits or more), HEED_BAD_OPTION (a number of the configuration lies outside its range). */
HEED_MUST_USE heed_status heed_sample_token(const heed_sampling* config, float* logits, size_t count, uint32_t* order,
                                            size_t order_count, heed_random_bits* random, uint32_t* token);

#ifdef __cplusplus
}
#endif
#endif
