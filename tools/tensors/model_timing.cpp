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

// Random numbers of a fixed seed, so that every run has the same bits.

std::vector<float> random_rows(std::size_t count) {
  RandomBits random(1);
  std::vector<float> rows(count);
  for (float& number : rows) number = static_cast<float>(random.next() % 2001) * 0.001F - 1.0F;
  return rows;
}

class Inputs {
 public:
  Inputs(const ModelConfig& config, std::uint32_t count) : config_(config) {
    if (config.input == ModelInput::tokens) {
      RandomBits random(1);
      for (std::uint32_t i = 0; i < count; ++i) {
        tokens_.push_back(static_cast<std::uint32_t>(random.next() % config.input_dim));
      }
    } else {
      frames_ = random_rows(std::size_t{count} * config.input_dim);
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

}  // namespace

ModelTimes time_model(Model& model, const TimedCalls& calls, const Executor& executor,
                      const std::function<void()>& beside) {
  const ModelConfig& config = model.plan().config;
  const Inputs prompt(config, calls.prompt);
  const Inputs tokens(config, calls.tokens);
  const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
  const std::size_t rows = config.pooling == Pooling::every ? detail::encoder_rows(config, calls.prompt) : 1;
  std::vector<float> logits((rows + calls.tokens) * width);
  const std::vector<float> context = random_rows(std::size_t{calls.context} * config.block.cross_dim);
  ModelTimes times;
  for (std::uint32_t repetition = 0; repetition <= calls.repeats; ++repetition) {
    const double first = bench::now();
    if (calls.context != 0) {
      const ConstMatrix seen = dense(context.data(), calls.context, config.block.cross_dim);
      require_ok(model.set_context(seen, calls.context, executor), "--context");
    }
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
    if (calls.context != 0) times.context_seconds.push_back(begin - first);
    if (beside) beside();
  }
  times.hash = hash_of(logits.data(), logits.size());
  return times;
}

}  // namespace heed::tools
