// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 20;
constexpr std::uint32_t hidden = 24;
constexpr std::uint32_t words = 24;
constexpr std::uint32_t frame = 6;
constexpr std::uint32_t inputs = 37;  ///< rows of two convolutions are then more than are made at a time
constexpr std::uint32_t types = 3;

/// As encoders of sentences: types of tokens, a pooler, a vector of length 1.
constexpr ModelConfig sentences() {
  ModelConfig config;
  config.block.model_dim = dim;
  config.block.heads = 2;
  config.block.mlp_dim = hidden;
  config.block.norm_placement = NormPlacement::after;
  config.blocks = 1;
  config.input_dim = words;
  config.max_positions = inputs;
  config.encoder = true;
  config.embedding_norm = true;
  config.without_final_norm = true;
  config.pooling = Pooling::mean;
  config.pooler = Pooler::tanh;
  config.token_types = types;
  config.unit_output = true;
  return config;
}

/// As encoders of images: registers, a mean without them, a norm after it; logits below a cap.
constexpr ModelConfig images() {
  ModelConfig config = sentences();
  config.block.norm_placement = NormPlacement::before;
  config.token_types = 0;
  config.unit_output = config.embedding_norm = config.without_final_norm = false;
  config.input = ModelInput::frames;
  config.input_dim = frame;
  config.max_positions = inputs + 3;
  config.class_token = true;
  config.registers = 2;
  config.pooling = Pooling::mean_of_rest;
  config.norm_after_pooling = true;
  config.pooler = Pooler::relu;
  config.outputs = words;
  config.output_softcap = 2.5F;
  return config;
}

/// As encoders of speech: two convolutions, every row; and the same in integers.
constexpr ModelConfig speech(bool integers) {
  ModelConfig config = images();
  config.input = ModelInput::convolutions;
  config.max_positions = inputs / 2 + 1;
  config.class_token = config.norm_after_pooling = false;
  config.registers = 0;
  config.pooling = Pooling::every;
  config.pooler = Pooler::none;
  config.outputs = 0;
  config.output_softcap = 0.0F;
  if (!integers) return config;
  BlockConfig& block = config.block;
  block.weight_type = config.input_type = DataType::int8;
  block.row_type = block.mlp_row_type = config.input_row_type = DataType::int8;
  block.output_row_type = block.down_row_type = DataType::int16;
  return config;
}

/// With room for all at once, and with as little as there may be.
struct Plans {
  ModelPlan large;
  ModelPlan small;
};
consteval Plans plans_of(const ModelConfig& config) {
  const auto rows = static_cast<std::uint32_t>(detail::encoder_rows(config, inputs));
  return {plan(config, BlockMemory{.rows = rows, .max_keys = rows, .scratch_budget = 16384}),
          plan(config, BlockMemory{.rows = rows, .max_keys = rows, .workers = 2, .scratch_budget = 1024})};
}
constexpr Plans plans[] = {plans_of(sentences()), plans_of(images()), plans_of(speech(false)), plans_of(speech(true))};

bool pack(const ModelPlan& plan, Pool<float>& pool, std::span<std::byte> file) {
  const ModelConfig& config = plan.config;
  Numbers random(9200);
  const auto take = [&](std::uint32_t count, float spread) {
    const std::span<float> taken = pool.take(count);
    random.fill(taken, spread);
    return taken.data();
  };
  const auto norm = [&] { return NormWeights{take(dim, 1.0F), take(dim, 0.5F)}; };
  ModelWeights ends;
  ends.input = take(plan.file.input.inputs * plan.file.input.outputs, 0.5F);
  ends.input_bias = take(dim, 0.5F);
  ends.second_input = take(3 * dim * dim, 0.25F);
  ends.second_input_bias = take(dim, 0.5F);
  ends.class_token = take(dim, 1.0F);
  ends.registers = take(config.registers * dim, 1.0F);
  ends.token_types = take(config.token_types * dim, 1.0F);
  ends.positions = take(config.max_positions * dim, 0.5F);
  ends.embedding_norm = norm();
  ends.final_norm = norm();
  ends.pooler = take(dim * dim, 0.5F);
  ends.pooler_bias = take(dim, 0.5F);
  ends.head = take(words * dim, 1.0F);
  BlockWeights block;
  block.attention_norm = norm();
  block.attention.query = take(dim * dim, 0.5F);
  block.attention.key = take(dim * dim, 0.5F);
  block.attention.value = take(dim * dim, 0.5F);
  block.attention.output = take(dim * dim, 0.5F);
  block.mlp_norm = norm();
  block.up = take(hidden * dim, 0.5F);
  block.down = take(dim * hidden, 0.25F);
  return pack_model(plan, ends, {&block, 1}, file) == Status::ok;
}

constexpr const Format* formats[] = {&int8_integer_weights};

bool run(const ModelPlan& plan, Pool<float> pool, std::span<float> output) {
  const auto file = std::span(first_memory).first(plan.file.bytes);
  if (!pack(plan, pool, file)) return false;
  const auto state = std::span(second_memory).first(plan.state_bytes);
  const auto scratch = std::span(second_memory).subspan(plan.state_bytes, plan.scratch_bytes);
  Model model;
  if (model.init(plan, state, scratch, {file, formats}) != Status::missing_format) return false;
  if (model.init(plan, state, scratch, {file, formats, &extended_model}) != Status::ok) return false;
  std::uint32_t said[inputs], kinds[inputs];
  for (std::uint32_t i = 0; i < inputs; ++i) {
    said[i] = i * 7 % words;
    kinds[i] = i % types;
  }
  if (plan.config.token_types != 0) return model.encode(said, kinds, output.data()) == Status::ok;
  const std::span<float> frames = pool.take(inputs * frame);
  Numbers(9300).fill(frames, 1.0F);
  return model.encode(dense<const float>(frames.data(), inputs, frame), inputs, output.data()) == Status::ok;
}

}  // namespace

Outcome check_extended_ends() {
  Outcome outcome;
  Hash all;
  for (const Plans& of : plans) {
    const std::uint32_t rows = of.large.config.pooling == Pooling::every ? inputs / 2 + 1 : 1;
    const std::uint32_t width = of.large.config.outputs != 0 ? of.large.config.outputs : dim;
    Pool<float> pool(numbers);
    const std::span<float> output = pool.take(std::size_t{rows} * width);
    const std::span<float> others = pool.take(std::size_t{rows} * width);
    bool good = run(of.large, pool, output) && run(of.small, pool, others);
    for (std::size_t i = 0; i < output.size(); ++i) good = good && output[i] == others[i];
    if (!good) ++outcome.failures;
    ++outcome.cases;
    all.add(output);
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
