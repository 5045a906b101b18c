// SPDX-License-Identifier: MIT
//
// Models of random shapes against their twin in double precision; and what may not change a bit of them.
#include <gtest/gtest.h>

#include "support/effort.hpp"
#include "support/threads.hpp"
#include "transformer/model_case.hpp"

namespace heed::test {
namespace {

TEST(Model, AgreesWithItsTwin) {
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < 400 / static_cast<int>(case_divisor()); ++i) {
    ModelCase c(random, i % 2 == 0);
    const std::vector<float> output = run(c, c.file, memory_of(c));
    const double apart = difference(output, c.expected());
    ASSERT_LE(apart, 2e-5) << "case " << i;
    worst = std::max(worst, apart);
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

TEST(Model, NothingButTheNumbersChangesABit) {
  Random random(2);
  for (int i = 0; i < 200 / static_cast<int>(case_divisor()) + 1; ++i) {
    ModelCase c(random, i % 2 == 0);
    expect_same_bits(c, c.file, i % 4 < 2 ? memory_of(c) : any_caches(random, c), i);
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
