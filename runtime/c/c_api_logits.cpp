// SPDX-License-Identifier: MIT
//
// The C interface of logits.
#include <cstdint>

#include "heed/heed_text.h"
#include "heed/text.hpp"

heed_status heed_softmax(const float* logits, uint32_t count, float temperature, float* probabilities) {
  return heed::softmax(logits, count, temperature, probabilities);
}

uint32_t heed_argmax(const float* logits, uint32_t count) {
  return logits == nullptr ? 0 : heed::argmax(logits, count);
}

heed_status heed_top_k(const float* logits, uint32_t count, uint32_t k, uint32_t* indices) {
  return heed::top_k(logits, count, k, indices);
}
