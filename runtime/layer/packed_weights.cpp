// SPDX-License-Identifier: MIT
//
// The packed weights of a layer.
#include "layer/packed_weights.hpp"

#include "common/validation.hpp"
#include "product/pack_linear.hpp"

namespace heed {

bool detail::header_matches(const WeightsHeader& header, const std::byte* packed) noexcept {
  const auto* words = reinterpret_cast<const std::uint32_t*>(packed);
  for (const std::uint32_t expected : header.words) {
    if (*words++ != expected) return false;
  }
  return true;
}

MultiHeadWeights split_packed(const MultiHeadPlan& plan, const float* input_weight, const float* input_bias,
                              const float* output_weight, const float* output_bias) noexcept {
  const std::size_t key_row = plan.query.outputs;
  const std::size_t value_row = key_row + plan.key.outputs;
  const std::size_t inputs = plan.query.inputs;
  MultiHeadWeights weights;
  weights.output = output_weight;
  weights.output_bias = output_bias;
  if (input_weight != nullptr) {
    weights.query = input_weight;
    weights.key = input_weight + key_row * inputs;
    weights.value = input_weight + value_row * inputs;
  }
  if (input_bias != nullptr) {
    weights.query_bias = input_bias;
    weights.key_bias = input_bias + key_row;
    weights.value_bias = input_bias + value_row;
  }
  return weights;
}

void detail::write_weights_header(const MultiHeadPlan& plan, std::byte* packed) noexcept {
  auto* words = reinterpret_cast<std::uint32_t*>(packed);
  const WeightsHeader header = weights_header(plan);
  for (const std::uint32_t word : header.words) *words++ = word;
  for (std::size_t at = sizeof header; at < arena_alignment; at += sizeof *words) *words++ = 0;
}

Status detail::check_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                             std::span<const std::byte> packed) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  assert_plan_unchanged(plan);
  if (weights.query == nullptr || weights.key == nullptr || weights.value == nullptr || weights.output == nullptr) {
    return Status::null_pointer;
  }
  return check_memory(packed, plan.weights_bytes);
}

bool detail::is_lost(const MultiHeadPlan& plan, const MultiHeadWeights& weights) noexcept {
  return is_lost(plan.query, weights.query) || is_lost(plan.key, weights.key) || is_lost(plan.value, weights.value) ||
         is_lost(plan.output, weights.output);
}

void detail::write_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights, std::byte* packed,
                           PackLinear* pack) noexcept {
  write_weights_header(plan, packed);
  pack(plan.query, weights.query, weights.query_bias, packed);
  pack(plan.key, weights.key, weights.key_bias, packed);
  pack(plan.value, weights.value, weights.value_bias, packed);
  pack(plan.output, weights.output, weights.output_bias, packed);
}

Status detail::pack_float_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed) noexcept {
  const Status status = check_weights(plan, weights, packed);
  if (status == Status::ok) write_weights(plan, weights, packed.data(), &pack_floats);
  return status;
}

Status detail::pack_rounded_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                    std::span<std::byte> packed) noexcept {
  const Status status = check_weights(plan, weights, packed);
  if (status != Status::ok) return status;
  if (is_lost(plan, weights)) return Status::bad_scale;
  write_weights(plan, weights, packed.data(), &pack_rounded);
  return Status::ok;
}

}  // namespace heed
