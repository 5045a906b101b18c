// SPDX-License-Identifier: MIT
#include "cases/model_case.hpp"

#include "cases/random_llama.hpp"

namespace heed::bench {
namespace {

constexpr ModelConfig smol{.block = {.model_dim = 576,
                                     .heads = 9,
                                     .kv_heads = 3,
                                     .mlp_dim = 1536,
                                     .weight_type = DataType::int8,
                                     .norm = Norm::rms_norm,
                                     .activation = Activation::silu,
                                     .gated = true},
                           .blocks = 8,
                           .input_dim = 512,
                           .max_positions = 2048,
                           .input_type = DataType::int8,
                           .positions = Positions::rotary,
                           .tied_head = true};

constexpr const Format* formats[] = {&int8_weights};

}  // namespace

ModelWeightsFile::ModelWeightsFile() {
  const RandomLlama llama(smol, GreatestStep::of_8_bits);
  file = llama.pack(smol);
  config = read_model(file).config;
}

Work work_of(const ModelShape& shape) {
  const double dim = smol.block.model_dim;
  const double of_block = 2 * dim * dim + 2 * dim * dim / 3 + 3 * dim * smol.block.mlp_dim;
  return {.flop = 2 * smol.blocks * of_block * (shape.decode ? 1 : shape.tokens)};
}

ModelCase::ModelCase(const ModelWeightsFile& weights, const ModelShape& shape, const Executor& executor)
    : shape_(shape), executor_(executor), logits_(weights.config.outputs) {
  expect(
      make_plan(weights.config, {.rows = shape.tokens, .max_keys = shape.tokens + 1, .workers = shape.workers}, plan_),
      "model plan");
  state_.resize(plan_.state_bytes);
  scratch_.resize(plan_.scratch_bytes);
  expect(model_.init(plan_, state_, scratch_, {weights.file, formats}), "init()");
  for (std::uint32_t i = 0; i < shape.tokens; ++i) tokens_.push_back(i * 7919 % weights.config.input_dim);
  if (shape.decode) expect(model_.prefill(tokens_, logits_.data()), "prefill()");
}

void ModelCase::run() {
  expect(model_.truncate(shape_.decode ? shape_.tokens : 0), "truncate()");
  if (shape_.decode) {
    expect(model_.decode(tokens_.front(), logits_.data(), executor_), "decode()");
  } else {
    expect(model_.prefill(tokens_, logits_.data(), executor_), "prefill()");
  }
}

}  // namespace heed::bench
