/* SPDX-License-Identifier: MIT */
#include "llama2c.h"

/* Leaves out its main(). */
#define TESTING
#include HEED_LLAMA2C_SOURCE

static Transformer transformer;

__attribute__((visibility("default"))) void llama2c_open(const char* checkpoint) {
  build_transformer(&transformer, (char*)checkpoint);
}

__attribute__((visibility("default"))) void llama2c_write(uint32_t first, uint32_t count, uint32_t* tokens) {
  int token = (int)first;
  for (uint32_t position = 0; position < count; ++position) {
    tokens[position] = (uint32_t)token;
    float* logits = forward(&transformer, token, (int)position);
    token = sample_argmax(logits, transformer.config.vocab_size);
  }
}
