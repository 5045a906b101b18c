// SPDX-License-Identifier: MIT
#include "layer/packed_weights.hpp"

#include "common/validation.hpp"
#include "linear/pack_linear.hpp"
#include "linear/weight_format.hpp"

namespace heed {
namespace {

constexpr std::uint32_t header_words = 10;

struct Header {
  std::uint32_t words[header_words];
};

/// "HEED", the version of the packed layout, and every number that the layout depends on.
[[nodiscard]] Header header_of(const detail::WeightsLayout& layout) noexcept {
  const AttentionConfig& heads = layout.heads;
  return {{0x44454548U, 1, layout.query.inputs, heads.heads, heads.kv_heads, heads.head_dim, heads.value_dim,
           layout.key.inputs, layout.output.outputs, static_cast<std::uint32_t>(layout.query.type)}};
}

}  // namespace

bool detail::weights_match(const WeightsLayout& layout, const PackedWeights& packed) noexcept {
  return reads(packed.format, layout.query.type) && header_matches(layout, packed.bytes.data());
}

bool detail::header_matches(const WeightsLayout& layout, const std::byte* packed) noexcept {
  const Header expected = header_of(layout);
  const auto* words = reinterpret_cast<const std::uint32_t*>(packed + layout.header.offset);
  for (std::uint32_t i = 0; i < header_words; ++i) {
    if (words[i] != expected.words[i]) return false;
  }
  return true;
}

MultiHeadWeights detail::split_packed(const WeightsLayout& layout, const float* input_weight, const float* input_bias,
                                      const float* output_weight, const float* output_bias) noexcept {
  const std::size_t key_row = layout.query.outputs;
  const std::size_t value_row = key_row + layout.key.outputs;
  const std::size_t inputs = layout.query.inputs;
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

Status detail::pack_weights(const WeightsLayout& layout, const MultiHeadWeights& weights, std::span<std::byte> packed,
                            PackLinear* pack) noexcept {
  if (weights.query == nullptr || weights.key == nullptr || weights.value == nullptr || weights.output == nullptr) {
    return Status::null_pointer;
  }
  const Status status = check_memory(packed, layout.bytes);
  if (status != Status::ok) return status;
  auto* words = reinterpret_cast<std::uint32_t*>(packed.data() + layout.header.offset);
  for (std::uint32_t i = 0; i < layout.header.bytes / sizeof(std::uint32_t); ++i) words[i] = 0;
  const Header header = header_of(layout);
  for (std::uint32_t i = 0; i < header_words; ++i) words[i] = header.words[i];
  pack(layout.query, weights.query, weights.query_bias, packed.data());
  pack(layout.key, weights.key, weights.key_bias, packed.data());
  pack(layout.value, weights.value, weights.value_bias, packed.data());
  pack(layout.output, weights.output, weights.output_bias, packed.data());
  return Status::ok;
}

MultiHeadWeights split_packed(const MultiHeadPlan& plan, const float* input_weight, const float* input_bias,
                              const float* output_weight, const float* output_bias) noexcept {
  return detail::split_packed(detail::weights_layout(plan), input_weight, input_bias, output_weight, output_bias);
}

Status detail::pack_float_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                  std::span<std::byte> packed) noexcept {
  return pack_weights(plan, weights, packed, &pack_floats);
}

}  // namespace heed
