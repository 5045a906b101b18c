// SPDX-License-Identifier: MIT
#include "heed/heed_layer.h"

/// A layer of the C interface over weights that were packed offline.
extern "C" heed_status probe(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                             const void* packed, const float* x, float* y) {
  const heed_packed_weights weights = {packed, plan->weights_bytes, &heed_int4_group_weights};
  auto* const scratch = static_cast<unsigned char*>(arena) + plan->state_bytes;
  const heed_status status =
      heed_multi_head_init(layer, plan, arena, plan->state_bytes, scratch, plan->scratch_bytes, &weights, nullptr);
  return status != heed::Status::ok ? status : heed_multi_head_decode(layer, x, y, 0, nullptr);
}
