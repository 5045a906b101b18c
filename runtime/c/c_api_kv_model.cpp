// SPDX-License-Identifier: MIT
//
// The C interface of a model over a KvCache, by the rules of c_api_model.hpp.
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_model.hpp"
#include "heed/heed_kv_model.h"
#include "heed/heed_model_plan.h"
#include "heed/model.hpp"

namespace heed::detail {

HEED_SAME_BLOCK_PLAN(heed_kv_block_plan, BlockPlan<KvCache>);
HEED_SAME_MODEL_PLAN(heed_kv_model_plan, ModelPlan<KvCache>);

static_assert(same_size<heed_kv_model, KvModel>);  // the members are private

}  // namespace heed::detail

namespace {

using heed::KvModel;
using heed::detail::memory_of;
using KvCalls = heed::detail::ModelCalls<KvModel, heed_kv_model, heed_kv_model_plan>;

}  // namespace

heed_status heed_plan_kv_model(const heed_model_config* config, const heed_block_memory* memory,
                               heed_kv_model_plan* plan) {
  return heed::detail::write_model_plan<KvModel::Plan>(config, memory, plan);
}

heed_status heed_kv_model_init(heed_kv_model* model, const heed_kv_model_plan* plan, void* state, size_t state_bytes,
                               void* scratch, size_t scratch_bytes, const heed_packed_model* file) {
  return KvCalls::begin<&KvModel::init>(model, plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                                        file);
}

heed_status heed_kv_model_bind(heed_kv_model* model, const heed_kv_model_plan* plan, void* state, size_t state_bytes,
                               void* scratch, size_t scratch_bytes, const heed_packed_model* file) {
  return KvCalls::begin<&KvModel::bind>(model, plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                                        file);
}

heed_status heed_kv_model_prefill(heed_kv_model* model, const uint32_t* tokens, size_t count, float* logits,
                                  const heed_executor* executor) {
  return KvCalls::prefill(model, tokens, count, logits, executor);
}

heed_status heed_kv_model_decode(heed_kv_model* model, uint32_t token, float* logits, const heed_executor* executor) {
  return KvCalls::prefill(model, &token, 1, logits, executor);
}

heed_status heed_kv_model_encode_tokens(heed_kv_model* model, const uint32_t* tokens, size_t count, float* logits,
                                        const heed_executor* executor) {
  return KvCalls::encode(model, tokens, count, logits, executor);
}

heed_status heed_kv_model_encode_frames(heed_kv_model* model, heed_const_matrix frames, uint32_t count, float* logits,
                                        const heed_executor* executor) {
  return KvCalls::encode(model, frames, count, logits, executor);
}

heed_status heed_kv_model_set_context(heed_kv_model* model, heed_const_matrix rows, uint32_t count,
                                      const heed_executor* executor) {
  return KvCalls::set_context(model, rows, count, executor);
}

uint32_t heed_kv_model_tokens(const heed_kv_model* model) {
  return KvCalls::tokens(model);
}

heed_status heed_kv_model_truncate(heed_kv_model* model, uint32_t length) {
  return KvCalls::truncate(model, length);
}

void heed_kv_model_observe(heed_kv_model* model, const heed_stage_observer* observer) {
  KvCalls::observe(model, observer);
}
