// SPDX-License-Identifier: MIT
//
// The C interface of models, their files and stages.
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "heed/block.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/model.hpp"

using heed::Status;
using heed::detail::memory_of;
using heed::detail::or_zeros;

static_assert(sizeof(heed::Model) == 15 * sizeof(void*));  // as C has it

namespace {

[[nodiscard]] bool has_formats(const heed_packed_model* file) noexcept {
  return file != nullptr && (file->formats != nullptr || file->format_count == 0);
}

}  // namespace

heed_status heed_plan_model(const heed_model_config* config, const heed_block_memory* memory, heed_model_plan* plan) {
  if (config == nullptr || memory == nullptr || plan == nullptr) return Status::null_pointer;
  return heed::make_plan(*config, *memory, *plan);
}

heed_status heed_model_init(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file,
                            const heed_kv_storage* storage) {
  if (model == nullptr || plan == nullptr || !has_formats(file)) return Status::null_pointer;
  return model->init(*plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes), *file, or_zeros(storage));
}

heed_status heed_model_bind(heed_model* model, const heed_model_plan* plan, void* state, size_t state_bytes,
                            void* scratch, size_t scratch_bytes, const heed_packed_model* file,
                            const heed_kv_storage* storage) {
  if (model == nullptr || plan == nullptr || !has_formats(file)) return Status::null_pointer;
  return model->bind(*plan, memory_of(state, state_bytes), memory_of(scratch, scratch_bytes), *file, or_zeros(storage));
}

heed_status heed_model_prefill(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                               const heed_executor* executor) {
  return model == nullptr ? Status::null_pointer : model->prefill(std::span(tokens, count), logits, or_zeros(executor));
}

heed_status heed_model_decode(heed_model* model, uint32_t token, float* logits, const heed_executor* executor) {
  return heed_model_prefill(model, &token, 1, logits, executor);
}

heed_status heed_model_encode_tokens(heed_model* model, const uint32_t* tokens, size_t count, float* logits,
                                     const heed_executor* executor) {
  return model == nullptr ? Status::null_pointer : model->encode(std::span(tokens, count), logits, or_zeros(executor));
}

heed_status heed_model_encode_typed_tokens(heed_model* model, const uint32_t* tokens, const uint32_t* types,
                                           size_t count, float* logits, const heed_executor* executor) {
  if (model == nullptr) return Status::null_pointer;
  return model->encode(std::span(tokens, count), std::span(types, count), logits, or_zeros(executor));
}

heed_status heed_model_encode_frames(heed_model* model, heed_const_matrix frames, uint32_t count, float* logits,
                                     const heed_executor* executor) {
  return model == nullptr ? Status::null_pointer : model->encode(frames, count, logits, or_zeros(executor));
}

heed_status heed_model_set_context(heed_model* model, heed_const_matrix rows, uint32_t count,
                                   const heed_executor* executor) {
  return model == nullptr ? Status::null_pointer : model->set_context(rows, count, or_zeros(executor));
}

uint32_t heed_model_tokens(const heed_model* model) {
  return model == nullptr ? 0 : model->tokens();
}

heed_status heed_model_truncate(heed_model* model, uint32_t length) {
  return model == nullptr ? Status::null_pointer : model->truncate(length);
}

void heed_model_observe(heed_model* model, const heed_stage_observer* observer) {
  if (model != nullptr) model->observe(or_zeros(observer));
}

heed_status heed_read_model(const void* file, size_t file_bytes, heed_model_config* config, const char** field) {
  if (config == nullptr) return heed::Status::null_pointer;
  const heed::ModelFile read = heed::read_model(heed::detail::memory_of(file, file_bytes));
  if (read.status == heed::Status::ok) *config = read.config;
  if (field != nullptr) *field = read.field;
  return read.status;
}

const char* heed_stage_to_string(heed_stage stage) {
  return heed::to_string(stage);
}
