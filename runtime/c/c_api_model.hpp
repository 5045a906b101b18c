// SPDX-License-Identifier: MIT
//
// The C interface of models over either cache, by the rules of c_api_calls.hpp.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "c/c_api_calls.hpp"
#include "c/c_api_model_config.hpp"
#include "heed/heed_model.h"
#include "heed/model.hpp"

/// HEED_SAME_MEMBER of a model's plan over either cache, and of its block's.
#define HEED_SAME_BLOCK_PLAN(c, cpp)           \
  static_assert(same_size<c, cpp>);            \
  HEED_SAME_MEMBER(c, cpp, config);            \
  HEED_SAME_MEMBER(c, cpp, memory);            \
  HEED_SAME_MEMBER(c, cpp, attention);         \
  HEED_SAME_MEMBER(c, cpp, cross);             \
  HEED_SAME_MEMBER(c, cpp, attention_state);   \
  HEED_SAME_MEMBER(c, cpp, cross_state);       \
  HEED_SAME_MEMBER(c, cpp, state_bytes);       \
  HEED_SAME_MEMBER(c, cpp, branch);            \
  HEED_SAME_MEMBER(c, cpp, layer_scratch);     \
  HEED_SAME_MEMBER(c, cpp, scratch_bytes);     \
  HEED_SAME_MEMBER(c, cpp, attention_norm);    \
  HEED_SAME_MEMBER(c, cpp, attention_weights); \
  HEED_SAME_MEMBER(c, cpp, cross_norm);        \
  HEED_SAME_MEMBER(c, cpp, cross_weights);     \
  HEED_SAME_MEMBER(c, cpp, mlp_norm);          \
  HEED_SAME_MEMBER(c, cpp, mlp);               \
  HEED_SAME_MEMBER(c, cpp, weights_bytes)

#define HEED_SAME_MODEL_PLAN(c, cpp)       \
  static_assert(same_size<c, cpp>);        \
  HEED_SAME_MEMBER(c, cpp, config);        \
  HEED_SAME_MEMBER(c, cpp, block);         \
  HEED_SAME_MEMBER(c, cpp, rotary);        \
  HEED_SAME_MEMBER(c, cpp, block_state);   \
  HEED_SAME_MEMBER(c, cpp, state_bytes);   \
  HEED_SAME_MEMBER(c, cpp, rows);          \
  HEED_SAME_MEMBER(c, cpp, block_scratch); \
  HEED_SAME_MEMBER(c, cpp, staging);       \
  HEED_SAME_MEMBER(c, cpp, scratch_bytes); \
  HEED_SAME_MEMBER(c, cpp, file)

namespace heed::detail {

template <class Plan, class CPlan>
[[nodiscard]] heed_status write_model_plan(const heed_model_config* config, const heed_block_memory* memory,
                                           CPlan* plan) noexcept {
  if (config == nullptr || memory == nullptr || plan == nullptr) return HEED_NULL_POINTER;
  return answer(make_plan(twin_of(*config), twin_of(*memory), in_place<Plan>(*plan)));
}

/// The calls of a model: `Model` of C++, and its twin of C.
template <class Model, class CModel, class CPlan>
struct ModelCalls {
  using Plan = typename Model::Plan;

  [[nodiscard]] static PackedModel file_of(const heed_packed_model& file) noexcept {
    const auto* const formats = reinterpret_cast<const WeightFormat* const*>(file.formats);
    return {memory_of(file.bytes, file.size), std::span(formats, file.format_count)};
  }

  /// Model::init or Model::bind.
  template <Status (Model::*start)(const Plan&, std::span<std::byte>, std::span<std::byte>,
                                   const PackedModel&) noexcept>
  [[nodiscard]] static heed_status begin(CModel* model, const CPlan* plan, std::span<std::byte> state,
                                         std::span<std::byte> scratch, const heed_packed_model* file) noexcept {
    if (model == nullptr || plan == nullptr || file == nullptr) return HEED_NULL_POINTER;
    if (file->formats == nullptr && file->format_count != 0) return HEED_NULL_POINTER;
    return answer((in_place<Model>(*model).*start)(in_place<Plan>(*plan), state, scratch, file_of(*file)));
  }

  [[nodiscard]] static heed_status prefill(CModel* model, const std::uint32_t* tokens, std::size_t count, float* logits,
                                           const heed_executor* executor) noexcept {
    if (model == nullptr) return HEED_NULL_POINTER;
    return answer(in_place<Model>(*model).prefill(std::span(tokens, count), logits, executor_of(executor)));
  }

  [[nodiscard]] static heed_status encode(CModel* model, const std::uint32_t* tokens, std::size_t count, float* logits,
                                          const heed_executor* executor) noexcept {
    if (model == nullptr) return HEED_NULL_POINTER;
    return answer(in_place<Model>(*model).encode(std::span(tokens, count), logits, executor_of(executor)));
  }

  [[nodiscard]] static heed_status encode(CModel* model, const heed_const_matrix& frames, std::uint32_t count,
                                          float* logits, const heed_executor* executor) noexcept {
    if (model == nullptr) return HEED_NULL_POINTER;
    return answer(
        in_place<Model>(*model).encode(std::bit_cast<ConstMatrix>(frames), count, logits, executor_of(executor)));
  }

  [[nodiscard]] static heed_status set_context(CModel* model, const heed_const_matrix& rows, std::uint32_t count,
                                               const heed_executor* executor) noexcept {
    if (model == nullptr) return HEED_NULL_POINTER;
    return answer(in_place<Model>(*model).set_context(std::bit_cast<ConstMatrix>(rows), count, executor_of(executor)));
  }

  [[nodiscard]] static std::uint32_t tokens(const CModel* model) noexcept {
    return model == nullptr ? 0 : in_place<Model>(*model).tokens();
  }

  [[nodiscard]] static heed_status truncate(CModel* model, std::uint32_t length) noexcept {
    return model == nullptr ? HEED_NULL_POINTER : answer(in_place<Model>(*model).truncate(length));
  }

  /// Shows the observer of C, which is the context, what the model shows.
  static void show(void* context, std::uint32_t block, Stage stage, const float* values, std::uint32_t rows,
                   std::uint32_t columns) noexcept {
    const auto* const observer = static_cast<const heed_stage_observer*>(context);
    if (observer->see == nullptr) return;
    observer->see(observer->context, block, static_cast<heed_stage>(stage), values, rows, columns);
  }

  static void observe(CModel* model, const heed_stage_observer* observer) noexcept {
    if (model == nullptr) return;
    StageObserver twin;
    // The C++ observer's context is not const; show() does not write to it.
    if (observer != nullptr) twin = {const_cast<heed_stage_observer*>(observer), &show};
    in_place<Model>(*model).observe(twin);
  }
};

}  // namespace heed::detail
