// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"
#include "model_check.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 20;
constexpr std::uint32_t hidden = 44;
constexpr std::uint32_t words = 24;
constexpr std::uint32_t blocks = 2;
constexpr std::uint32_t tokens = 9;
constexpr std::uint32_t most_tokens = 12;

struct Types {
  DataType weights;
  DataType rows;
  DataType other_rows;  ///< of the attention's output and of down
};
constexpr Types types[] = {
    {DataType::int8, DataType::int8, DataType::int16},
    {DataType::int8, DataType::int16, DataType::int8},
    {DataType::int8_multipliers, DataType::int16, DataType::int16},
    {DataType::int4_multipliers, DataType::int8, DataType::int16},
};

constexpr const Format* formats[] = {&int8_integer_weights, &int8_multiplier_weights, &int4_multiplier_weights};

/// A gated decoder whose head is its embedding table.
constexpr ModelConfig config_of(const Types& of) {
  ModelConfig config;
  BlockConfig& block = config.block;
  block.model_dim = dim;
  block.heads = 2;
  block.kv_heads = 1;
  block.mlp_dim = hidden;
  block.norm = Norm::rms_norm;
  block.activation = Activation::silu;
  block.gated = true;
  block.weight_type = config.input_type = of.weights;
  block.row_type = block.mlp_row_type = config.head_row_type = of.rows;
  block.output_row_type = block.down_row_type = of.other_rows;
  config.blocks = blocks;
  config.input_dim = words;
  config.max_positions = most_tokens;
  config.positions = Positions::rotary;
  config.tied_head = true;
  return config;
}

consteval ModelPlans plans_of(const Types& of) {
  return {plan(config_of(of), BlockMemory{.rows = tokens - 2, .max_keys = most_tokens, .scratch_budget = 2048}),
          plan(config_of(of), BlockMemory{.rows = 1, .max_keys = most_tokens, .scratch_budget = 2048})};
}
constexpr ModelPlans plans[] = {plans_of(types[0]), plans_of(types[1]), plans_of(types[2]), plans_of(types[3])};

bool pack(const ModelPlan& plan, Pool<float>& pool, std::span<std::byte> file) {
  Numbers random(9000);
  const auto take = [&](std::uint32_t count, float spread) {
    const std::span<float> taken = pool.take(count);
    random.fill(taken, spread);
    return taken.data();
  };
  ModelWeights ends;
  ends.input = take(words * dim, 1.0F);
  ends.final_norm.weight = take(dim, 1.0F);
  BlockWeights weights[blocks];
  for (BlockWeights& block : weights) {
    block.attention_norm.weight = take(dim, 1.0F);
    block.attention.query = take(dim * dim, 0.5F);
    block.attention.key = take(dim * dim / 2, 0.5F);
    block.attention.value = take(dim * dim / 2, 0.5F);
    block.attention.output = take(dim * dim, 0.5F);
    block.mlp_norm.weight = take(dim, 1.0F);
    block.gate = take(hidden * dim, 0.5F);
    block.up = take(hidden * dim, 0.5F);
    block.down = take(dim * hidden, 0.25F);
  }
  return pack_model(plan, ends, weights, file) == Status::ok;
}

/// A prompt and tokens one by one, or all one by one: the logits after the last.
bool run(const ModelPlan& plan, bool one_by_one, Pool<float> pool, std::span<float> logits) {
  const auto file = std::span(first_memory).first(plan.file.bytes);
  if (!pack(plan, pool, file)) return false;
  const auto state = std::span(second_memory).first(plan.state_bytes);
  const auto scratch = std::span(second_memory).subspan(plan.state_bytes, plan.scratch_bytes);
  Model model;
  if (model.init(plan, state, scratch, {file, formats}) != Status::ok) return false;
  std::uint32_t said[tokens];
  for (std::uint32_t i = 0; i < tokens; ++i) said[i] = i * 7 % words;
  return read_tokens(model, said, one_by_one, logits.data());
}

}  // namespace

Outcome check_integer_models() {
  return check_model_plans(plans, words, run);
}

}  // namespace heed::test
