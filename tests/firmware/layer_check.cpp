// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"
#include "support/storage.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t layers = 24;

struct Case {
  bool ring = false;
  const Format* format = nullptr;  ///< of weights whose rows are integers, as its attention is
  MultiHeadPlan plan{};
  std::uint32_t tokens = 0;
  MultiHeadWeights weights{};
  MultiHeadOptions options{};
  Rotary rotary{};
  std::span<float> x, decoded, prefilled;
};

std::span<float> random_matrix(Pool<float>& pool, Numbers& random, std::size_t rows, std::size_t columns) {
  const std::span<float> matrix = pool.take(rows * columns);
  random.fill(matrix, 0.5F);
  return matrix;
}

/// A ring that the tokens wrap around once or more often; every third layer has other types than int8. Keys of one
/// number would leave no room to dequantize values of seventeen.
void choose_ring(Numbers& random, std::uint32_t number, MultiHeadConfig& config) {
  if (config.head_dim == 1) config.head_dim = 2;
  config.max_keys = random.between(2, 12);
  config.ring = true;
  config.sink_tokens = random.between(0, config.max_keys < 5 ? 1 : 3);
  config.key_type = config.value_type = DataType::int8;
  if (number % 3 != 0) return;
  config.key_type = value_types[number / 3 % 5];
  config.value_type = value_types[number / 3 % 4 + 1];
}

/// Half of the layers in rings have a window, half rotate.
bool choose_options(Numbers& random, std::uint32_t number, Case& c) {
  const MultiHeadConfig& config = c.plan.config;
  c.tokens += config.max_keys;
  if (number % 2 == 0) c.options.attention.left_window = random.between(0, config.max_keys) + 1;
  if (number / 2 % 2 == 0) return true;
  c.options.rotary = &c.rotary;
  const std::uint32_t pairs = random.between(1, config.head_dim / 2);
  return make_plan(RotaryConfig{.head_dim = config.head_dim, .rotary_dim = 2 * pairs}, c.rotary.plan) == Status::ok;
}

/// Weights and rows of every type.
const Format* choose_integers(std::uint32_t number, MultiHeadConfig& config) {
  constexpr DataType weights[] = {DataType::int8, DataType::int8_multipliers, DataType::int4_multipliers};
  constexpr const Format* formats[] = {&int8_integer_weights, &int8_multiplier_weights, &int4_multiplier_weights};
  config.weight_type = weights[number % 3];
  config.row_type = number % 2 == 0 ? DataType::int8 : DataType::int16;
  config.output_row_type = number / 2 % 2 == 0 ? DataType::int8 : DataType::int16;
  return formats[number % 3];
}

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(7000 + number);
  MultiHeadConfig config = c.plan.config;
  config.kv_heads = random.between(1, 2);
  config.heads = config.kv_heads * random.between(1, 2);
  config.model_dim = random.between(1, 40);
  config.head_dim = random.between(1, 17);
  config.value_dim = random.between(1, 17);
  config.output_dim = random.between(1, 40);
  config.max_keys = 40;
  config.scratch_budget = 8 * 1024;
  c.tokens = random.between(1, 24);
  if (c.ring) choose_ring(random, number, config);
  if (c.format != nullptr) {
    c.format = choose_integers(number, config);
    config.key_type = config.value_type = DataType::int8_integer;
  }
  if (make_plan(config, c.plan) != Status::ok || (c.ring && !choose_options(random, number, c))) return false;
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

/// Layers that are no rings have no options.
Status decode(MultiHeadAttention& layer, const Case& c, const float* x, float* y) {
  return c.ring ? layer.decode(x, y, 0, c.options) : layer.decode(x, y);
}
Status prefill(MultiHeadAttention& layer, const Case& c, const MultiHeadInputs& in, const MultiHeadOutputs& out) {
  return c.ring ? layer.prefill(in, c.options, out) : layer.prefill(in, out);
}

bool run(Case& c) {
  const MultiHeadConfig& config = c.plan.config;
  const KvStorage storage = storage_of(config, kv_ring_with_positions);
  const auto weights = std::span(second_memory).first(c.plan.weights_bytes);
  const auto memory = std::span(first_memory).first(c.plan.bytes);
  MultiHeadAttention layer;
  if (pack_weights(c.plan, c.weights, weights) != Status::ok) return false;
  const PackedWeights packed(weights, c.format);
  if (layer.init(c.plan, memory.first(c.plan.bytes - 1), packed, storage) != Status::arena_too_small) return false;
  if (layer.init(c.plan, memory, packed, storage) != Status::ok) return false;
  for (std::size_t t = 0; t < c.tokens; ++t) {
    if (decode(layer, c, &c.x[t * config.model_dim], &c.decoded[t * config.output_dim]) != Status::ok) return false;
  }
  if (layer.init(c.plan, memory, packed, storage) != Status::ok) return false;
  MultiHeadInputs in;
  in.tokens = c.tokens;
  in.input = dense<const float>(c.x.data(), c.tokens, config.model_dim);
  MultiHeadOutputs out;
  out.output = dense(c.prefilled.data(), c.tokens, config.output_dim);
  if (prefill(layer, c, in, out) != Status::ok) return false;
  Hash decoded;
  Hash prefilled;
  decoded.add(c.decoded);
  prefilled.add(c.prefilled);
  return decoded.value() == prefilled.value();
}

Outcome check(bool ring, bool integers) {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < layers; ++number) {
    Case c;
    c.ring = ring || (integers && number % 4 == 3);
    if (integers) c.format = &int8_integer_weights;
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

}  // namespace

Outcome check_layers() {
  return check(false, false);
}

Outcome check_ring_layers() {
  return check(true, false);
}

Outcome check_integer_layers() {
  return check(false, true);
}

}  // namespace heed::test
