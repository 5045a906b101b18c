// SPDX-License-Identifier: MIT
//
// The C interface of a model, by the rules of c_api_calls.hpp.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "c/c_api_kv_cache.hpp"
#include "c/c_api_model_config.hpp"
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

static_assert(same_size<heed_block_plan, BlockPlan>);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, config);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, memory);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, attention);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, cross);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, attention_state);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, cross_state);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, state_bytes);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, branch);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, layer_scratch);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, scratch_bytes);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, attention_norm);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, attention_weights);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, cross_norm);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, cross_weights);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, mlp_norm);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, mlp);
HEED_SAME_MEMBER(heed_block_plan, BlockPlan, weights_bytes);

static_assert(same_size<heed_model_plan, ModelPlan>);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, config);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, block);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, rotary);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, block_state);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, state_bytes);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, rows);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, block_scratch);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, staging);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, scratch_bytes);
HEED_SAME_MEMBER(heed_model_plan, ModelPlan, file);

static_assert(same_size<heed_model, Model>);  // the members are private

}  // namespace heed::detail

namespace {

using heed::Model;
using heed::ModelPlan;
using heed::PackedModel;
using heed::detail::answer;
using heed::detail::executor_of;
using heed::detail::in_place;
using heed::detail::memory_of;
using heed::detail::storage_of;
using heed::detail::use;

[[nodiscard]] bool has_formats(const heed_packed_model* file) noexcept {
  return file != nullptr && (file->formats != nullptr || file->format_count == 0);
}

[[nodiscard]] PackedModel twin_of(const heed_packed_model& file) noexcept {
  return {memory_of(file.bytes, file.size), std::span(file.formats, file.format_count)};
}

/// Shows the observer of C, which is the context, what the model shows.
void show(void* context, std::uint32_t block, heed::Stage stage, const float* values, std::uint32_t rows,
          std::uint32_t columns) noexcept {
  const auto* const observer = static_cast<const heed_stage_observer*>(context);
  if (observer->see == nullptr) return;
  observer->see(observer->context, block, static_cast<heed_stage>(stage), values, rows, columns);
}

}  // namespace

heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory, heed_model_plan* plan) {
  if (config == nullptr || memory == nullptr || plan == nullptr) return HEED_NULL_POINTER;
  return answer(heed::make_plan(heed::detail::twin_of(*config), in_place<heed::BlockMemory>(*memory),
                                in_place<ModelPlan>(*plan)));
}

heed_status heed_model_init(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file,
                            const heed_kv_storage* storage) {
  if (plan == nullptr || !has_formats(file)) return HEED_NULL_POINTER;
  return use<Model>(model, [&](Model& object) {
    return object.init(in_place<ModelPlan>(*plan), memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                       twin_of(*file), storage_of(storage));
  });
}

heed_status heed_model_bind(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file,
                            const heed_kv_storage* storage) {
  if (plan == nullptr || !has_formats(file)) return HEED_NULL_POINTER;
  return use<Model>(model, [&](Model& object) {
    return object.bind(in_place<ModelPlan>(*plan), memory_of(state, state_bytes), memory_of(scratch, scratch_bytes),
                       twin_of(*file), storage_of(storage));
  });
}

heed_status heed_model_prefill(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                               const heed_executor* executor) {
  return use<Model>(
      model, [&](Model& object) { return object.prefill(std::span(tokens, count), logits, executor_of(executor)); });
}

heed_status heed_model_decode(heed_model* model, uint32_t token, float* logits, const heed_executor* executor) {
  return heed_model_prefill(model, &token, 1, logits, executor);
}

heed_status heed_model_encode_tokens(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                                     const heed_executor* executor) {
  return use<Model>(
      model, [&](Model& object) { return object.encode(std::span(tokens, count), logits, executor_of(executor)); });
}

heed_status heed_model_encode_frames(heed_model* model, heed_const_matrix frames, uint32_t count, float* logits,
                                     const heed_executor* executor) {
  return use<Model>(model, [&](Model& object) {
    return object.encode(std::bit_cast<heed::ConstMatrix>(frames), count, logits, executor_of(executor));
  });
}

heed_status heed_model_set_context(heed_model* model, heed_const_matrix rows, uint32_t count,
                                   const heed_executor* executor) {
  return use<Model>(model, [&](Model& object) {
    return object.set_context(std::bit_cast<heed::ConstMatrix>(rows), count, executor_of(executor));
  });
}

uint32_t heed_model_tokens(const heed_model* model) {
  return model == nullptr ? 0 : in_place<Model>(*model).tokens();
}

heed_status heed_model_truncate(heed_model* model, uint32_t length) {
  return use<Model>(model, [&](Model& object) { return object.truncate(length); });
}

void heed_model_observe(heed_model* model, const heed_stage_observer* observer) {
  if (model == nullptr) return;
  heed::StageObserver twin;
  // The C++ observer's context is not const; show() does not write to it.
  if (observer != nullptr) twin = {const_cast<heed_stage_observer*>(observer), &show};
  in_place<Model>(*model).observe(twin);
}
