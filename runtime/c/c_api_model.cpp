// SPDX-License-Identifier: MIT
//
// The C interface of a model over plain floats, by the rules of c_api_model.hpp.
#include "c/c_api_model.hpp"

#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_plan.h"
#include "heed/model.hpp"

namespace heed::detail {

static_assert(same_size<heed_norm_plan, NormPlan>);
HEED_SAME_MEMBER(heed_norm_plan, NormPlan, weight);
HEED_SAME_MEMBER(heed_norm_plan, NormPlan, bias);

static_assert(same_size<heed_mlp_plan, MlpPlan>);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, rows);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, hidden);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, gate_rows);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, staging);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, gate);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, up);
HEED_SAME_MEMBER(heed_mlp_plan, MlpPlan, down);

static_assert(same_size<heed_model_file_plan, ModelFilePlan>);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, header);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, input);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, class_token);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, positions);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, embedding_norm);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, block_weights);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, final_norm);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, head);
HEED_SAME_MEMBER(heed_model_file_plan, ModelFilePlan, bytes);

HEED_SAME_BLOCK_PLAN(heed_block_plan, BlockPlan<FloatKvCache>);
HEED_SAME_MODEL_PLAN(heed_model_plan, ModelPlan<FloatKvCache>);

static_assert(same_size<heed_model, Model>);  // the members are private

}  // namespace heed::detail

namespace {

using heed::Model;
using heed::detail::memory_of;
using Calls = heed::detail::ModelCalls<Model, heed_model, heed_model_plan>;

}  // namespace

heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory, heed_model_plan* plan) {
  return heed::detail::write_model_plan<Model::Plan>(config, memory, plan);
}

heed_status heed_model_init(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file) {
  return Calls::begin<&Model::init>(model, plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                                    file);
}

heed_status heed_model_bind(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file) {
  return Calls::begin<&Model::bind>(model, plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                                    file);
}

heed_status heed_model_prefill(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                               const heed_executor* executor) {
  return Calls::prefill(model, tokens, count, logits, executor);
}

heed_status heed_model_decode(heed_model* model, uint32_t token, float* logits, const heed_executor* executor) {
  return Calls::prefill(model, &token, 1, logits, executor);
}

heed_status heed_model_encode_tokens(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                                     const heed_executor* executor) {
  return Calls::encode(model, tokens, count, logits, executor);
}

heed_status heed_model_encode_frames(heed_model* model, heed_const_matrix frames, uint32_t count, float* logits,
                                     const heed_executor* executor) {
  return Calls::encode(model, frames, count, logits, executor);
}

heed_status heed_model_set_context(heed_model* model, heed_const_matrix rows, uint32_t count,
                                   const heed_executor* executor) {
  return Calls::set_context(model, rows, count, executor);
}

uint32_t heed_model_tokens(const heed_model* model) {
  return Calls::tokens(model);
}

heed_status heed_model_truncate(heed_model* model, uint32_t length) {
  return Calls::truncate(model, length);
}

void heed_model_observe(heed_model* model, const heed_stage_observer* observer) {
  Calls::observe(model, observer);
}
