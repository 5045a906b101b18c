// SPDX-License-Identifier: MIT
//
// Models of random shapes against their twin in double precision; and what may not change a bit of them.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "transformer/dequantized_model.hpp"
#include "transformer/random_model.hpp"
#include "transformer/reference_model.hpp"

namespace heed::test {
namespace {

/// A model, its file, an input for it, and what cross-attention looks at.
struct ModelCase {
  ModelConfig config;
  std::uint32_t count;  ///< tokens or frames
  std::uint32_t context_rows;
  RandomWeights weights;
  AlignedMemory file;
  DequantizedWeights dequantized;
  std::vector<std::uint32_t> tokens;
  std::vector<float> frames;
  std::vector<float> context;

  ModelCase(Random& random, bool causal)
      : config(random_config(random, causal)),
        count(random.between(1, 20)),
        context_rows(random.between(1, 12)),
        weights(random.bits(), config),
        file(packed_model(config, weights.ends, weights.blocks)),
        dequantized(config, weights.ends, weights.blocks, file.span()) {
    for (std::uint32_t i = 0; i < count; ++i) tokens.push_back(random.between(0, config.input_dim - 1));
    frames = random.normals(std::size_t{count} * config.input_dim);
    context = random.normals(std::size_t{context_rows} * config.block.cross_dim);
  }

  [[nodiscard]] std::uint32_t rows() const { return count + (config.class_token ? 1 : 0); }
  [[nodiscard]] std::size_t outputs() const {
    const std::size_t width = config.outputs != 0 ? config.outputs : config.block.model_dim;
    return config.pooling == Pooling::every ? rows() * width : width;
  }

  [[nodiscard]] Numbers expected() const {
    const std::size_t dim = config.block.model_dim;
    Numbers x;
    if (config.input == ModelInput::frames) {
      x = reference_linear({frames.begin(), frames.end()}, config.input_dim, dequantized.ends.input,
                           dequantized.ends.input_bias, dim);
    } else {
      for (const std::uint32_t token : tokens) {
        x.insert(x.end(), dequantized.ends.input + token * dim, dequantized.ends.input + (token + 1) * dim);
      }
    }
    x = reference_embedding(config, dequantized.ends, x);
    const Numbers memory(context.begin(), context.end());
    for (const BlockWeights& block : dequantized.blocks) reference_block(config, block, memory, x);
    return reference_output(config, dequantized.ends, x);
  }
};

/// Runs a case in one call, or, a decoder, in calls of `split` tokens.
std::vector<float> run(const ModelCase& c, AlignedMemory& file, const BlockMemory& memory, std::uint32_t split = 0,
                       const Executor& executor = {}, const StageObserver& observer = {}) {
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
        c.config.input == ModelInput::tokens
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

[[nodiscard]] BlockMemory memory_of(const ModelCase& c) {
  return {.rows = c.rows(), .max_keys = c.rows(), .max_cross_keys = c.context_rows};
}

TEST(Model, AgreesWithItsTwin) {
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < 400 / static_cast<int>(case_divisor()); ++i) {
    ModelCase c(random, i % 2 == 0);
    const std::vector<float> output = run(c, c.file, memory_of(c));
    const Numbers expected = c.expected();
    ASSERT_EQ(output.size(), expected.size());
    double most = 1.0;
    for (const double number : expected) most = std::max(most, std::abs(number));
    for (std::size_t j = 0; j < output.size(); ++j) {
      const double difference = std::abs(double{output[j]} - expected[j]) / most;
      worst = std::max(worst, difference);
      ASSERT_LE(difference, 2e-5) << "case " << i << ", output " << j;
    }
  }
  std::printf("largest difference, relative to the largest output: %.1e\n", worst);
}

TEST(Model, WeightsInFewBitsHaveTheBitsOfTheirDequantizedFloats) {
  Random random(3);
  for (int i = 0; i < 200 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, i % 2 == 0);
    AlignedMemory floats = packed_model(with_floats(c.config), c.dequantized.ends, c.dequantized.blocks);
    const std::vector<float> expected = run(c, floats, memory_of(c));
    EXPECT_EQ(run(c, c.file, memory_of(c)), expected) << "case " << i;
    BlockMemory memory = memory_of(c);
    memory.scratch_budget = 2048;
    memory.rows = c.config.encoder ? memory.rows : 3;
    memory.workers = 2;
    EXPECT_EQ(run(c, c.file, memory, 0, thread_per_task()), expected) << "little scratch, case " << i;
  }
}

/// Caches of any types; of a decoder every third is a ring, which comes round.
[[nodiscard]] BlockMemory any_caches(Random& random, const ModelCase& c) {
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

TEST(Model, NothingButTheNumbersChangesABit) {
  Random random(2);
  for (int i = 0; i < 200 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, i % 2 == 0);
    BlockMemory memory = i % 4 < 2 ? memory_of(c) : any_caches(random, c);
    const std::vector<float> expected = run(c, c.file, memory);
    memory.scratch_budget = 4096;
    if (memory.ring == 0) memory.max_keys += 300;
    EXPECT_EQ(run(c, c.file, memory), expected) << "little scratch, case " << i;
    memory.workers = 3;
    EXPECT_EQ(run(c, c.file, memory, 0, thread_per_task()), expected) << "workers, case " << i;
    if (c.config.encoder) continue;
    memory.rows = 2;
    EXPECT_EQ(run(c, c.file, memory), expected) << "two rows at a time, case " << i;
    EXPECT_EQ(run(c, c.file, memory, 3), expected) << "three tokens at a time, case " << i;
  }
}

/// The rows that the last block's observers have seen.
struct LastBlock {
  std::uint32_t number = 0;
  std::uint32_t rows = 0;

  static void see(void* context, std::uint32_t block, Stage stage, const float* /*values*/, std::uint32_t rows,
                  std::uint32_t /*columns*/) {
    auto& last = *static_cast<LastBlock*>(context);
    if (stage == Stage::block && block == last.number) last.rows = rows;
  }
};

TEST(Model, AnObserverSeesEveryRowOfAnEncoderAndChangesNoBit) {
  Random random(4);
  std::uint32_t one_row = 0;
  for (int i = 0; i < 200 / static_cast<int>(case_divisor()) + 8; ++i) {
    ModelCase c(random, false);
    const bool rotary = c.config.positions == Positions::rotary;
    one_row += !rotary && (c.config.pooling == Pooling::first || c.config.pooling == Pooling::last) ? 1 : 0;
    LastBlock last{.number = c.config.blocks - 1};
    const BlockMemory memory = memory_of(c);
    const std::vector<float> observed = run(c, c.file, memory, 0, {}, {&last, &LastBlock::see});
    EXPECT_EQ(last.rows, c.rows()) << "case " << i;
    EXPECT_EQ(run(c, c.file, memory), observed) << "case " << i;
  }
  EXPECT_GT(one_row, 0U);
}

}  // namespace
}  // namespace heed::test
