// SPDX-License-Identifier: MIT
//
// A model of random weights with what it is run on, and with what its twin says of it.
#pragma once

#include <algorithm>
#include <vector>

#include "support/threads.hpp"
#include "transformer/dequantized_model.hpp"
#include "transformer/random_ends.hpp"
#include "transformer/reference_ends.hpp"

namespace heed::test {

/// A model, its file, an input for it, and what cross-attention looks at.
struct ModelCase {
  ModelConfig config;
  std::uint32_t count;  ///< tokens or frames
  std::uint32_t context_rows;
  RandomWeights weights;
  RandomEnds more_weights;
  AlignedMemory file;
  DequantizedWeights dequantized;
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> types;  ///< of the tokens; none in every second case
  std::vector<float> frames;
  std::vector<float> context;

  ModelCase(Random& random, bool causal) : ModelCase(random, random_config(random, causal)) {}

  ModelCase(Random& random, const ModelConfig& model)
      : config(model),
        count(random.between(1, 20)),
        context_rows(random.between(1, 12)),
        weights(random.bits(), config),
        more_weights(random.bits(), config, weights.ends),
        file(packed_model(config, weights.ends, weights.blocks)),
        dequantized(config, weights.ends, weights.blocks, file.span()) {
    for (std::uint32_t i = 0; i < count; ++i) tokens.push_back(random.between(0, config.input_dim - 1));
    for (std::uint32_t i = 0; config.token_types != 0 && count % 2 == 0 && i < count; ++i) {
      types.push_back(random.between(0, config.token_types - 1));
    }
    frames = random.normals(std::size_t{count} * config.input_dim);
    context = random.normals(std::size_t{context_rows} * config.block.cross_dim);
  }

  [[nodiscard]] std::uint32_t rows() const { return static_cast<std::uint32_t>(detail::encoder_rows(config, count)); }
  [[nodiscard]] std::size_t outputs() const {
    const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
    return config.pooling == Pooling::every ? rows() * width : width;
  }

  [[nodiscard]] Numbers expected() const {
    const std::size_t dim = config.block.model_dim;
    Numbers x;
    if (config.input == ModelInput::convolutions) {
      x = reference_convolutions(config, dequantized.ends, {frames.begin(), frames.end()});
    } else if (config.input == ModelInput::none) {
      x.assign(frames.begin(), frames.end());
    } else if (config.input == ModelInput::frames) {
      x = reference_linear({frames.begin(), frames.end()}, config.input_dim, dequantized.ends.input,
                           dequantized.ends.input_bias, dim);
    } else {
      for (const std::uint32_t token : tokens) {
        x.insert(x.end(), dequantized.ends.input + token * dim, dequantized.ends.input + (token + 1) * dim);
      }
    }
    x = reference_embedding(config, dequantized.ends, x, types);
    const Numbers memory(context.begin(), context.end());
    for (std::uint32_t block = 0; block < config.blocks; ++block) {
      reference_block(config, dequantized.blocks[block], memory, x, {block, dequantized.ends.relative_bias});
    }
    return reference_output(config, dequantized.ends, x);
  }
};

/// Runs a case in one call, or, a decoder, in calls of `split` tokens.
inline std::vector<float> run(const ModelCase& c, AlignedMemory& file, const BlockMemory& memory,
                              std::uint32_t split = 0, const Executor& executor = {},
                              const StageObserver& observer = {}) {
  BuiltModel built(file.span(), memory);
  EXPECT_EQ(built.model.plan().file.bytes, built.plan.file.bytes);
  EXPECT_EQ(built.model.plan().scratch_bytes, built.plan.scratch_bytes);
  built.model.observe(observer);
  if (c.config.block.cross_dim != 0) {
    const ConstMatrix context = dense(c.context.data(), c.context_rows, c.config.block.cross_dim);
    EXPECT_EQ(built.model.set_context(context, c.context_rows, executor), Status::ok);
  }
  std::vector<float> output(c.outputs());
  if (c.config.encoder) {
    const Status status =
        !c.types.empty() ? built.model.encode(c.tokens, c.types, output.data(), executor)
        : c.config.input == ModelInput::tokens
            ? built.model.encode(c.tokens, output.data(), executor)
            : built.model.encode(dense(c.frames.data(), c.count, c.config.input_dim), c.count, output.data(), executor);
    EXPECT_EQ(status, Status::ok) << to_string(status);
    return output;
  }
  const std::size_t width = c.config.outputs != 0 ? c.config.outputs : c.config.block.model_dim;
  for (std::uint32_t first = 0; first < c.count; first += split) {
    if (split == 0) split = c.count;
    const std::uint32_t taken = std::min(split, c.count - first);
    float* const to = c.config.pooling == Pooling::every ? output.data() + first * width : output.data();
    const Status status = built.model.prefill(std::span(c.tokens).subspan(first, taken), to, executor);
    EXPECT_EQ(status, Status::ok) << to_string(status);
  }
  EXPECT_EQ(built.model.tokens(), c.count);
  return output;
}

[[nodiscard]] inline BlockMemory memory_of(const ModelCase& c) {
  return {.rows = c.rows(), .max_keys = c.rows(), .max_cross_keys = c.context_rows};
}

/// Caches of any types; of a decoder every third is a ring, which comes round.
[[nodiscard]] inline BlockMemory any_caches(Random& random, const ModelCase& c) {
  BlockMemory memory = any_cache_types(random);
  memory.rows = memory.max_keys = c.rows();
  memory.max_cross_keys = c.context_rows;
  if (!c.config.encoder && random.between(0, 2) == 0) {
    memory.ring = true;
    memory.max_keys = random.between(3, 10);
    memory.sink_tokens = random.between(0, 2);
  }
  return memory;
}

/// No bit of the output depends on the scratch, the workers, or how many rows or tokens go at once.
inline void expect_same_bits(const ModelCase& c, AlignedMemory& file, BlockMemory memory, int number) {
  const std::vector<float> expected = run(c, file, memory);
  memory.scratch_budget = 4096;
  if (memory.ring == 0) memory.max_keys += 300;
  EXPECT_EQ(run(c, file, memory), expected) << "little scratch, case " << number;
  memory.workers = 3;
  EXPECT_EQ(run(c, file, memory, 0, thread_per_task()), expected) << "workers, case " << number;
  if (c.config.encoder) return;
  memory.rows = 2;
  EXPECT_EQ(run(c, file, memory), expected) << "two rows at a time, case " << number;
  EXPECT_EQ(run(c, file, memory, 3), expected) << "three tokens at a time, case " << number;
  EXPECT_EQ(run(c, file, memory, 1), expected) << "token by token, case " << number;
}

/// The largest difference from the twin, relative to the largest output or 1.
[[nodiscard]] inline double difference(const std::vector<float>& output, const Numbers& expected) {
  EXPECT_EQ(output.size(), expected.size());
  double most = 1.0;
  for (const double number : expected) most = std::max(most, std::abs(number));
  double worst = 0.0;
  for (std::size_t i = 0; i < std::min(output.size(), expected.size()); ++i) {
    const double apart = std::abs(double{output[i]} - expected[i]) / most;
    worst = apart <= worst ? worst : apart;  // a NaN stays
  }
  return worst;
}

}  // namespace heed::test
