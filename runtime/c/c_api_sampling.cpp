// SPDX-License-Identifier: MIT
//
// The C interface of sampling.
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/heed_text.h"
#include "heed/text.hpp"

static_assert(sizeof(heed::RandomBits) == sizeof(uint64_t));  // as C has it

void heed_seed_random(heed_random_bits* random, uint64_t seed) {
  if (random != nullptr) *random = heed::RandomBits(seed);
}

uint32_t heed_random_next(heed_random_bits* random) {
  return random == nullptr ? 0 : random->next();
}

heed_status heed_sample_token(const heed_sampling* config, float* logits, size_t count, uint32_t* order,
                              size_t order_count, heed_random_bits* random, uint32_t* token) {
  if (config == nullptr || random == nullptr || token == nullptr) return heed::Status::null_pointer;
  return heed::sample_token(*config, std::span(logits, count), std::span(order, order_count), *random, *token);
}
