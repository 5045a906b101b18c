// SPDX-License-Identifier: MIT
#include "cases/random_llama.hpp"

#include <algorithm>
#include <cmath>

namespace heed::bench {
namespace {

constexpr std::size_t group = 32;
constexpr float root_of_three = 1.7320508F;  // the greatest of uniform numbers of variance 1

/// Of eight significant bits, so that 127 of them are a float, too.
[[nodiscard]] float rounded_step(float step) {
  int exponent = 0;
  const float mantissa = std::frexp(step, &exponent);
  return std::ldexp(std::rint(std::ldexp(mantissa, 8)), exponent - 8);
}

}  // namespace

RandomLlama::Matrices::Matrices(std::uint32_t inputs, std::size_t largest, GreatestStep greatest)
    : inputs_(inputs), numbers_(some_floats(largest, inputs)) {
  if (inputs % group != 0) fail("a Llama's width is no multiple of 32");
  const auto steps = static_cast<float>(greatest);
  const float step = rounded_step(root_of_three / (std::abs(steps) * std::sqrt(static_cast<float>(inputs))));
  // In 4 bits -8 has no counterpart; numbers between do not lean to it.
  const float inner = greatest == GreatestStep::of_4_bits ? 7 : 127;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const bool first_of_all = i % group == i / group % group;
    numbers_[i] = step * (first_of_all ? steps : std::rint(numbers_[i] / root_of_three * inner));
  }
}

const float* RandomLlama::Matrices::next(std::uint32_t outputs) {
  const std::size_t room = numbers_.size() - std::size_t{outputs} * inputs_;
  constexpr std::size_t stride = 7919 * group;
  return numbers_.data() + (room == 0 ? 0 : next_++ * stride % room / group * group);
}

const float* RandomLlama::vector(std::uint32_t size, float mean, float spread) {
  Floats& values = vectors_.emplace_back(some_floats(size, seed_++));
  for (float& value : values) value = mean + value / root_of_three * spread;
  return values.data();
}

RandomLlama::RandomLlama(const ModelConfig& config, GreatestStep greatest, bool biases)
    : of_rows_(config.block.model_dim,
               std::size_t{config.block.model_dim} * std::max(config.input_dim, 4 * config.block.mlp_dim), greatest),
      of_hidden_(config.block.mlp_dim, std::size_t{4} * config.block.model_dim * config.block.mlp_dim, greatest),
      blocks_(config.blocks) {
  const std::uint32_t dim = config.block.model_dim;
  const std::uint32_t key_dim = dim / config.block.heads * config.block.kv_heads;
  const auto norm = [&](float mean) { return NormWeights{vector(dim, mean, mean / 4), nullptr}; };
  ends_.input = of_rows_.next(config.input_dim);
  ends_.final_norm = norm(1);
  for (BlockWeights& weights : blocks_) {
    // Scores of 9 either way: a softmax that is nearly flat would hide what it weighs, and where.
    weights.attention_norm = norm(3);
    weights.attention.query = of_rows_.next(dim);
    weights.attention.key = of_rows_.next(key_dim);
    weights.attention.value = of_rows_.next(key_dim);
    weights.attention.output = of_rows_.next(dim);
    if (biases) {
      weights.attention.query_bias = vector(dim, 0, 0.5F);
      weights.attention.key_bias = vector(key_dim, 0, 0.5F);
      weights.attention.value_bias = vector(key_dim, 0, 0.5F);
    }
    weights.mlp_norm = norm(1);
    weights.gate = of_rows_.next(config.block.mlp_dim);
    weights.up = of_rows_.next(config.block.mlp_dim);
    weights.down = of_hidden_.next(dim);
  }
}

Bytes RandomLlama::pack(const ModelConfig& config) const {
  ModelPlan plan;
  expect(make_plan(config, {.rows = 1, .max_keys = 1}, plan), "a Llama's plan");
  Bytes file(plan.file.bytes);
  expect(pack_model(plan, ends_, blocks_, file), "pack_model()");
  return file;
}

}  // namespace heed::bench
