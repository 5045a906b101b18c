// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t layers = 24;

struct Case {
  MultiHeadPlan plan{};
  std::uint32_t tokens = 0;
  MultiHeadWeights weights{};
  std::span<float> x, decoded, prefilled;
};

std::span<float> random_matrix(Pool<float>& pool, Numbers& random, std::size_t rows, std::size_t columns) {
  const std::span<float> matrix = pool.take(rows * columns);
  random.fill(matrix, 0.5F);
  return matrix;
}

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(7000 + number);
  MultiHeadConfig config;
  config.kv_heads = random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 2);
  config.model_dim = random.between(1, 40);
  config.head_dim = random.between(1, 17);
  config.value_dim = random.between(1, 17);
  config.output_dim = random.between(1, 40);
  config.max_keys = 40;
  config.scratch_budget = 8 * 1024;
  c.tokens = random.between(1, 24);
  if (make_plan(config, c.plan) != Status::ok) return false;
  Pool<float> pool(numbers);
  const auto matrix = [&](std::size_t rows, std::size_t columns) {
    return random_matrix(pool, random, rows, columns).data();
  };
  c.weights.query = matrix(c.plan.query.outputs, config.model_dim);
  c.weights.key = matrix(c.plan.key.outputs, config.model_dim);
  c.weights.value = matrix(c.plan.value.outputs, config.model_dim);
  c.weights.output = matrix(c.plan.output.outputs, c.plan.output.inputs);
  if (number % 2 == 0) {
    c.weights.query_bias = matrix(c.plan.query.outputs, 1);
    c.weights.output_bias = matrix(c.plan.output.outputs, 1);
  }
  c.x = random_matrix(pool, random, c.tokens, config.model_dim);
  c.decoded = pool.take(std::size_t{c.tokens} * config.output_dim);
  c.prefilled = pool.take(std::size_t{c.tokens} * config.output_dim);
  return !c.prefilled.empty() && c.plan.bytes <= sizeof first_memory && c.plan.weights_bytes <= sizeof second_memory;
}

bool run(Case& c) {
  const MultiHeadConfig& config = c.plan.config;
  const auto weights = std::span(second_memory).first(c.plan.weights_bytes);
  const auto memory = std::span(first_memory).first(c.plan.bytes);
  MultiHeadAttention layer;
  if (pack_weights(c.plan, c.weights, weights) != Status::ok) return false;
  if (layer.init(c.plan, memory.first(c.plan.bytes - 1), weights) != Status::arena_too_small) return false;
  if (layer.init(c.plan, memory, weights) != Status::ok) return false;
  for (std::size_t t = 0; t < c.tokens; ++t) {
    if (layer.decode(&c.x[t * config.model_dim], &c.decoded[t * config.output_dim]) != Status::ok) return false;
  }
  if (layer.init(c.plan, memory, weights) != Status::ok) return false;
  MultiHeadInputs in;
  in.tokens = c.tokens;
  in.input = dense<const float>(c.x.data(), c.tokens, config.model_dim);
  MultiHeadOutputs out;
  out.output = dense(c.prefilled.data(), c.tokens, config.output_dim);
  if (layer.prefill(in, out) != Status::ok) return false;
  Hash decoded;
  Hash prefilled;
  decoded.add(c.decoded);
  prefilled.add(c.prefilled);
  return decoded.value() == prefilled.value();
}

}  // namespace

Outcome check_layers() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < layers; ++number) {
    Case c;
    if (!make_case(number, c) || !run(c)) {
      ++outcome.failures;
      continue;
    }
    all.add(c.decoded);
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
