// SPDX-License-Identifier: MIT
//
// The C interface: null checks, bytes copied between twin structs, and a call. Everything else is checked behind it.
#include <bit>
#include <cstddef>
#include <cstdint>

#include "c/c_api_calls.hpp"
#include "c/c_api_layout.hpp"

namespace {

using heed::detail::answer;
using heed::detail::executor_of;
using heed::detail::memory_of;
using heed::detail::set;
using heed::detail::twin_of;
using heed::detail::use;
using heed::detail::view_of;
using heed::detail::write_plan;

using Run = heed::Status (heed::MultiHeadAttention::*)(const heed::MultiHeadInputs&, const heed::MultiHeadOutputs&,
                                                       const heed::Executor&) noexcept;

/// The member is a constant, so that every call is direct and the call graph can be checked.
template <Run member>
[[nodiscard]] heed_status run(const heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                              const heed_multi_head_outputs* outputs, const heed_executor* executor) noexcept {
  if (inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return (object.*member)(std::bit_cast<heed::MultiHeadInputs>(*inputs),
                            std::bit_cast<heed::MultiHeadOutputs>(*outputs), executor_of(executor));
  });
}

}  // namespace

const char* heed_region_to_string(heed_region region) {
  return heed::to_string(static_cast<heed::RegionName>(region.name));
}

const char* heed_status_to_string(heed_status status) {
  const auto value = static_cast<std::uint32_t>(status);
  return heed::to_string(static_cast<heed::Status>(value < UINT8_MAX ? value : UINT8_MAX));
}

heed_status heed_plan_float_kv_cache(const heed_float_kv_cache_config* config, heed_float_kv_cache_plan* plan) {
  return write_plan<heed::FloatKvCachePlan>(config, plan);
}

heed_status heed_float_kv_cache_init(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return set<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) {
    return object.init(std::bit_cast<heed::FloatKvCachePlan>(*plan), memory_of(memory, memory_bytes));
  });
}

heed_status heed_float_kv_cache_bind(heed_float_kv_cache* cache, const heed_float_kv_cache_plan* plan, void* memory,
                                     size_t memory_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return set<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) {
    return object.bind(std::bit_cast<heed::FloatKvCachePlan>(*plan), memory_of(memory, memory_bytes));
  });
}

heed_status heed_float_kv_cache_append(heed_float_kv_cache* cache, uint32_t sequence, uint32_t tokens,
                                       heed_const_tensor key, heed_const_tensor value) {
  return use<heed::FloatKvCache>(
      cache, [&](heed::FloatKvCache& object) { return object.append(sequence, tokens, view_of(key), view_of(value)); });
}

heed_status heed_float_kv_cache_truncate(heed_float_kv_cache* cache, uint32_t sequence, uint32_t length) {
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) { return object.truncate(sequence, length); });
}

heed_status heed_float_kv_cache_reset(heed_float_kv_cache* cache, uint32_t sequence) {
  return use<heed::FloatKvCache>(cache, [&](heed::FloatKvCache& object) { return object.reset(sequence); });
}

uint32_t heed_float_kv_cache_length(const heed_float_kv_cache* cache, uint32_t sequence) {
  return cache == nullptr ? 0 : std::bit_cast<heed::FloatKvCache>(*cache).length(sequence);
}

heed_status heed_plan_attention(const heed_attention_config* config, heed_attention_plan* plan) {
  return write_plan<heed::AttentionPlan>(config, plan);
}

heed_status heed_attend(const heed_attention_plan* plan, void* arena, size_t arena_bytes,
                        const heed_attention_inputs* inputs, const heed_attention_outputs* outputs,
                        const heed_executor* executor) {
  if (plan == nullptr || inputs == nullptr || outputs == nullptr) return HEED_NULL_POINTER;
  heed::FloatKvCache cache;
  return answer(heed::attend(std::bit_cast<heed::AttentionPlan>(*plan), memory_of(arena, arena_bytes),
                             twin_of(*inputs, cache), std::bit_cast<heed::AttentionOutputs>(*outputs),
                             executor_of(executor)));
}

heed_status heed_plan_multi_head(const heed_multi_head_config* config, heed_multi_head_plan* plan) {
  return write_plan<heed::MultiHeadPlan>(config, plan);
}

heed_multi_head_weights heed_split_packed(const heed_multi_head_plan* plan, const float* input_weight,
                                          const float* input_bias, const float* output_weight,
                                          const float* output_bias) {
  if (plan == nullptr) return {};
  return std::bit_cast<heed_multi_head_weights>(heed::split_packed(
      std::bit_cast<heed::MultiHeadPlan>(*plan), input_weight, input_bias, output_weight, output_bias));
}

heed_status heed_pack_weights(const heed_multi_head_plan* plan, const heed_multi_head_weights* weights, void* packed,
                              size_t packed_bytes) {
  if (plan == nullptr || weights == nullptr) return HEED_NULL_POINTER;
  return answer(heed::pack_weights(std::bit_cast<heed::MultiHeadPlan>(*plan),
                                   std::bit_cast<heed::MultiHeadWeights>(*weights), memory_of(packed, packed_bytes)));
}

heed_status heed_multi_head_init(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return set<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.init(std::bit_cast<heed::MultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_bind(heed_multi_head_attention* layer, const heed_multi_head_plan* plan, void* arena,
                                 size_t arena_bytes, const void* packed_weights, size_t weights_bytes) {
  if (plan == nullptr) return HEED_NULL_POINTER;
  return set<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.bind(std::bit_cast<heed::MultiHeadPlan>(*plan), memory_of(arena, arena_bytes),
                       memory_of(packed_weights, weights_bytes));
  });
}

heed_status heed_multi_head_append(heed_multi_head_attention* layer, uint32_t batch, const uint32_t* sequences,
                                   uint32_t tokens, heed_const_matrix memory, const heed_executor* executor) {
  return use<heed::MultiHeadAttention>(layer, [&](heed::MultiHeadAttention& object) {
    return object.append(batch, sequences, tokens, std::bit_cast<heed::ConstMatrix>(memory), executor_of(executor));
  });
}

heed_status heed_multi_head_attend(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run<&heed::MultiHeadAttention::attend>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_prefill(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                    const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run<&heed::MultiHeadAttention::prefill>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_encode(heed_multi_head_attention* layer, const heed_multi_head_inputs* inputs,
                                   const heed_multi_head_outputs* outputs, const heed_executor* executor) {
  return run<&heed::MultiHeadAttention::encode>(layer, inputs, outputs, executor);
}

heed_status heed_multi_head_decode(heed_multi_head_attention* layer, const float* x, float* y, uint32_t sequence) {
  return use<heed::MultiHeadAttention>(layer,
                                       [&](heed::MultiHeadAttention& object) { return object.decode(x, y, sequence); });
}

heed_status heed_multi_head_truncate(heed_multi_head_attention* layer, uint32_t sequence, uint32_t length) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_float_kv_cache_truncate(&layer->cache, sequence, length);
}

heed_status heed_multi_head_reset(heed_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? HEED_NULL_POINTER : heed_float_kv_cache_reset(&layer->cache, sequence);
}

uint32_t heed_multi_head_length(const heed_multi_head_attention* layer, uint32_t sequence) {
  return layer == nullptr ? 0 : heed_float_kv_cache_length(&layer->cache, sequence);
}

heed_status heed_add_sinusoidal_positions(heed_matrix x, uint32_t rows, uint32_t dim, uint32_t first_position,
                                          heed_sinusoid_layout order, float base) {
  return answer(heed::add_sinusoidal_positions(std::bit_cast<heed::MutableMatrix>(x), rows, dim, first_position,
                                               static_cast<heed::SinusoidLayout>(order), base));
}

heed_status heed_embedding_lookup(const float* table, size_t table_elements, uint32_t dim, const uint32_t* tokens,
                                  size_t token_count, heed_matrix x) {
  return answer(heed::embedding_lookup({table, table_elements}, dim, {tokens, token_count},
                                       std::bit_cast<heed::MutableMatrix>(x)));
}
