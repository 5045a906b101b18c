// SPDX-License-Identifier: MIT
#include "heed/heed_model.h"

/// A model of the C interface, from its plan to its logits.
extern "C" heed_status probe(const heed_model_config* config, const heed_block_memory* memory, heed_model* model,
                             heed_model_plan* plan, void* arena, const void* file, uint32_t token, float* logits) {
  heed_status status = heed_plan_model(config, memory, plan);
  if (status != heed::Status::ok) return status;
  const heed_format* const formats[] = {&heed_int8_weights};
  const heed_packed_model packed = {file, plan->file.bytes, formats, 1};
  auto* const scratch = static_cast<unsigned char*>(arena) + plan->state_bytes;
  status = heed_model_init(model, plan, arena, plan->state_bytes, scratch, plan->scratch_bytes, &packed, nullptr);
  return status != heed::Status::ok ? status : heed_model_decode(model, token, logits, nullptr);
}
