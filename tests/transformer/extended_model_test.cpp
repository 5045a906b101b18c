// SPDX-License-Identifier: MIT
//
// Models whose blocks ask for an extension against their twin in double precision; and what may not change a bit of
// them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "transformer/integer_model.hpp"
#include "transformer/model_case.hpp"

namespace heed::test {
namespace {

TEST(ExtendedModel, AgreesWithItsTwin) {
  Random random(41);
  double worst = 0.0;
  for (int i = 0; i < 600 / static_cast<int>(case_divisor()); ++i) {
    ModelCase c(random, random_extended_blocks(random, i % 2 == 0));
    const double apart = difference(run(c, c.file, memory_of(c)), c.expected());
    ASSERT_LE(apart, 2e-5) << "case " << i;
    worst = std::max(worst, apart);
  }
  std::printf("largest difference, relative to the largest output: %.1e\n", worst);
}

TEST(ExtendedModel, NothingButTheNumbersChangesABit) {
  Random random(42);
  for (int i = 0; i < 300 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, random_extended_blocks(random, i % 2 == 0));
    expect_same_bits(c, c.file, i % 4 < 2 ? memory_of(c) : any_caches(random, c), i);
  }
}

TEST(ExtendedModel, WeightsInFewBitsHaveTheBitsOfTheirDequantizedFloats) {
  Random random(43);
  for (int i = 0; i < 100 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, random_extended_blocks(random, i % 2 == 0));
    AlignedMemory floats = packed_model(with_floats(c.config), c.dequantized.ends, c.dequantized.blocks);
    EXPECT_EQ(run(c, c.file, memory_of(c)), run(c, floats, memory_of(c))) << "case " << i;
  }
}

TEST(ExtendedModel, ProductsAndAttentionInIntegers) {
  Random random(44);
  for (int i = 0; i < 60 / static_cast<int>(case_divisor()) + 6; ++i) {
    const IntegerTypes types = all_integer_types[static_cast<std::size_t>(i) % std::size(all_integer_types)];
    ModelCase c(random, completed(with_integers(with_floats(random_extended_blocks(random, i % 2 == 0)), types)));
    BlockMemory memory = memory_of(c);
    memory.key_type = memory.value_type = i % 3 == 0 ? DataType::float32 : DataType::int8_integer;
    const std::vector<float> expected = run(c, c.file, memory);
    memory.scratch_budget = 4096;
    memory.workers = 3;
    EXPECT_EQ(run(c, c.file, memory, 0, thread_per_task()), expected) << "workers, case " << i;
    if (c.config.encoder) continue;
    memory.rows = 2;
    EXPECT_EQ(run(c, c.file, memory, 3), expected) << "three tokens at a time, case " << i;
    EXPECT_EQ(run(c, c.file, memory, 1), expected) << "token by token, case " << i;
  }
}

/// Whether it hides nothing of a ring, because that holds no more keys, or some of them.
TEST(ExtendedModel, AWindowInARingIsThatWindow) {
  Random random(45);
  for (int i = 0; i < 40; ++i) {
    ModelConfig config = random_config(random, true);
    config.block.cross_dim = 0;
    config.window = random.between(1, 6);
    if (i % 4 == 0) config.block.score_softcap = 2.0F;
    ModelCase c(random, completed(config));
    BlockMemory memory = memory_of(c);
    memory.ring = 1;
    memory.max_keys = config.window + static_cast<std::uint32_t>(i) % 3;
    const std::vector<float> expected = run(c, c.file, memory, 1);
    EXPECT_EQ(run(c, c.file, memory, 4), expected) << i;
    EXPECT_LE(difference(expected, c.expected()), 2e-5) << i;
  }
}

/// The rows and the stages that an observer sees.
struct Stages {
  std::vector<std::uint32_t> of_block[6];

  static void see(void* context, std::uint32_t block, Stage stage, const float* /*values*/, std::uint32_t rows,
                  std::uint32_t /*columns*/) {
    static_cast<Stages*>(context)->of_block[static_cast<std::size_t>(stage)].push_back(block * 1000 + rows);
  }
};

TEST(ExtendedModel, AnObserverSeesEveryStageAndChangesNoBit) {
  Random random(46);
  for (int i = 0; i < 60 / static_cast<int>(case_divisor()) + 4; ++i) {
    ModelCase c(random, random_extended_blocks(random, i % 2 == 0));
    Stages stages;
    const std::vector<float> observed = run(c, c.file, memory_of(c), 0, {}, {&stages, &Stages::see});
    EXPECT_EQ(run(c, c.file, memory_of(c)), observed) << "case " << i;
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t block = 0; block < c.config.blocks; ++block) blocks.push_back(block * 1000 + c.rows());
    const auto of = [&](Stage stage) { return stages.of_block[static_cast<std::size_t>(stage)]; };
    EXPECT_EQ(of(Stage::embedding), std::vector<std::uint32_t>{c.rows()});
    for (const Stage stage : {Stage::attention, Stage::mlp, Stage::block}) EXPECT_EQ(of(stage), blocks);
    EXPECT_EQ(of(Stage::cross_attention).size(), c.config.block.cross_dim != 0 ? blocks.size() : 0);
    EXPECT_EQ(of(Stage::output).size(), 1U);
  }
}

}  // namespace
}  // namespace heed::test
