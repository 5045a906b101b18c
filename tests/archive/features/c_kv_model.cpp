// SPDX-License-Identifier: MIT
#include "heed/heed_model.h"
#include "heed/heed_text.h"

/// A language model of the C interface: from a token over its logits to the text of the next.
extern "C" const char* probe(heed_model* model, const heed_model_plan* plan, void* state, void* scratch,
                             const void* file, const heed_tokenizer* words, uint32_t token, float* logits,
                             uint32_t* order, heed_random_bits* random, size_t* length) {
  const heed_kv_storage storage = {{&heed_int8_cache}, nullptr, nullptr};
  const heed_packed_model packed = {file, plan->file.bytes, nullptr, 0};
  const heed_sampling config{};
  uint32_t next = 0;
  const uint32_t count = plan->config.outputs;
  if (heed_model_init(model, plan, state, plan->state_bytes, scratch, plan->scratch_bytes, &packed, &storage) !=
          heed::Status::ok ||
      heed_model_decode(model, token, logits, nullptr) != heed::Status::ok ||
      heed_sample_token(&config, logits, count, order, count, random, &next) != heed::Status::ok) {
    return nullptr;
  }
  return heed_tokenizer_decode(words, token, next, length);
}
