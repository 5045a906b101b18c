// SPDX-License-Identifier: MIT
#include "tensors/model_timing.hpp"

#include <span>
#include <string>

#include "heed/text.hpp"
#include "machine/machine.hpp"
#include "support/failure.hpp"
#include "support/stage_hashes.hpp"

namespace heed::tools {

namespace {

/// Random numbers of a fixed seed, so that every run has the same bits.
class Inputs {
 public:
  Inputs(const ModelConfig& config, std::uint32_t count) : config_(config) {
    RandomBits random(1);
    if (config.input == ModelInput::tokens) {
      for (std::uint32_t i = 0; i < count; ++i) {
        tokens_.push_back(static_cast<std::uint32_t>(random.next() % config.input_dim));
      }
    } else {
      for (std::size_t i = 0; i < std::size_t{count} * config.input_dim; ++i) {
        frames_.push_back(static_cast<float>(random.next() % 2001) * 0.001F - 1.0F);
      }
    }
  }

  [[nodiscard]] std::span<const std::uint32_t> tokens() const { return tokens_; }

  [[nodiscard]] Status encode(Model& model, float* logits, const Executor& executor) const {
    if (config_.input == ModelInput::tokens) return model.encode(tokens_, logits, executor);
    const auto count = static_cast<std::uint32_t>(frames_.size() / config_.input_dim);
    return model.encode(dense(frames_.data(), count, config_.input_dim), count, logits, executor);
  }

 private:
  const ModelConfig& config_;
  std::vector<std::uint32_t> tokens_;
  std::vector<float> frames_;
};

double products(const LinearPlan& plan) {
  return static_cast<double>(plan.inputs) * plan.outputs;
}

double stored(const LinearPlan& plan) {
  return static_cast<double>(plan.weights.bytes) + plan.scales.bytes + plan.bias.bytes;
}

}  // namespace

ModelTimes time_model(Model& model, const TimedCalls& calls, const Executor& executor) {
  const ModelConfig& config = model.plan().config;
  const Inputs prompt(config, calls.prompt);
  const Inputs tokens(config, calls.tokens);
  const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
  const std::size_t rows = config.pooling == Pooling::every ? detail::encoder_rows(config, calls.prompt) : 1;
  std::vector<float> logits((rows + calls.tokens) * width);
  ModelTimes times;
  for (std::uint32_t repetition = 0; repetition <= calls.repeats; ++repetition) {
    const double begin = bench::now();
    if (config.encoder) {
      require_ok(prompt.encode(model, logits.data(), executor), "--prompt");
    } else {
      require_ok(model.truncate(0), "--prompt");
      require_ok(model.prefill(prompt.tokens(), logits.data(), executor), "--prompt");
    }
    const double middle = bench::now();
    float* to = logits.data() + rows * width;
    for (const std::uint32_t token : tokens.tokens()) {
      require_ok(model.decode(token, to, executor), "--tokens");
      to += width;
    }
    const double end = bench::now();
    // The first brings pages into memory, and wakes the workers.
    if (repetition == 0) continue;
    times.prompt_seconds.push_back(middle - begin);
    if (calls.tokens != 0) times.token_seconds.push_back(end - middle);
  }
  times.hash = hash_of(logits.data(), logits.size());
  return times;
}

double multiply_adds(const ModelPlan& plan, std::uint32_t rows) {
  const BlockPlan& block = plan.block;
  double each = 0.0;
  for (const LinearPlan* const linear : {&block.attention.query, &block.attention.key, &block.attention.value,
                                         &block.attention.output, &block.mlp.gate, &block.mlp.up, &block.mlp.down}) {
    each += products(*linear);
  }
  each *= plan.config.blocks;
  if (plan.config.input != ModelInput::tokens) each += products(plan.file.input) + products(plan.file.second_input);
  const double head = static_cast<double>(plan.config.outputs) * plan.config.block.model_dim;
  return each * rows + head * (plan.config.pooling == Pooling::every ? rows : 1);
}

double token_bytes(const ModelPlan& plan) {
  const double blocks = static_cast<double>(plan.block.weights_bytes) * plan.config.blocks;
  if (plan.config.outputs == 0) return blocks;
  return blocks + stored(plan.config.tied_head ? plan.file.input : plan.file.head);
}

}  // namespace heed::tools
