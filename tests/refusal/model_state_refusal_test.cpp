// SPDX-License-Identifier: MIT
//
// A model binds a state that one of its plan can have left, and no other: all blocks have seen the same tokens and the
// same context. Calls look at the first block alone before they write, so that bind() is where the others are compared.
#include <gtest/gtest.h>

#include <cstring>

#include "refusal/refusals.hpp"
#include "transformer/random_model.hpp"

namespace heed::test {
namespace {

constexpr ModelConfig with_context{.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .cross_dim = 5},
                                   .blocks = 3,
                                   .input_dim = 9,
                                   .max_positions = 40,
                                   .outputs = 4};

[[nodiscard]] ModelConfig without_context() {
  ModelConfig config = with_context;
  config.block.cross_dim = 0;
  return config;
}

constexpr BlockMemory plain{.rows = 3, .max_keys = 6, .max_cross_keys = 4};
constexpr BlockMemory ring{.rows = 3,
                           .max_keys = 6,
                           .max_cross_keys = 4,
                           .sink_tokens = 2,
                           .key_type = DataType::int8,
                           .value_type = DataType::float16,
                           .cross_type = DataType::int8,
                           .ring = true};

/// A model that has seen tokens, whose counts a test changes.
struct TamperedModel {
  RandomWeights weights;
  AlignedMemory file;
  BuiltModel built;
  std::vector<float> logits = std::vector<float>(4, -7.0F);
  Model other;  ///< what bind() is called on
  Witness witness;

  TamperedModel(const ModelConfig& config, const BlockMemory& memory, std::uint32_t tokens, std::uint32_t context)
      : weights(5, completed(config)),
        file(packed_model(completed(config), weights.ends, weights.blocks)),
        built(file.span(), memory) {
    const std::vector<float> rows(20, 0.5F);
    if (context != 0) {
      EXPECT_EQ(built.model.set_context(dense(rows.data(), context, 5), context), Status::ok);
    }
    for (std::uint32_t token = 0; token < tokens; ++token) {
      EXPECT_EQ(built.model.decode(token, logits.data()), Status::ok);
    }
    witness.watch("state", built.state.span());
    witness.watch("scratch", built.scratch.span());
    witness.watch("logits", logits);
    witness.watch_object("model", built.model);
    witness.watch_object("the model to bind", other);
  }

  /// Tokens, or rows of the context, that a block says it has seen.
  [[nodiscard]] std::uint32_t& count(std::uint32_t block, bool cross) {
    const ModelPlan& plan = built.plan;
    const Region& region = cross ? plan.block.cross_state : plan.block.attention_state;
    std::byte* const at =
        built.state.span().data() + plan.block_state.offset + block * plan.block.state_bytes + region.offset;
    return *reinterpret_cast<std::uint32_t*>(at);
  }

  [[nodiscard]] Status bind() {
    return other.bind(built.plan, built.state.span(), built.scratch.span(), {file.span(), all_formats},
                      storage_of(built.plan.block.memory));
  }
};

/// One count of a good state, changed to every value near it.
void expect_refusals(const ModelConfig& config, const BlockMemory& memory, std::uint32_t tokens,
                     std::uint32_t context) {
  TamperedModel model(config, memory, tokens, context);
  for (const bool cross : {false, true}) {
    if (cross && config.block.cross_dim == 0) continue;
    for (std::uint32_t block = 0; block < config.blocks; ++block) {
      std::uint32_t& count = model.count(block, cross);
      const std::uint32_t good = count;
      for (const std::uint32_t bad : {0U, good - 1, good + 1, good + 7, max_tokens, max_tokens + 1, ~0U}) {
        if (bad == good) continue;
        count = bad;
        model.witness.expect(Status::bad_state, cross ? "a context of one block" : "tokens of one block",
                             [&] { return model.bind(); });
      }
      count = good;
    }
  }
  EXPECT_EQ(model.bind(), Status::ok);
}

TEST(ModelStateRefusal, ABlockThatDisagrees) {
  expect_refusals(with_context, plain, 3, 2);
  expect_refusals(without_context(), plain, 6, 0);
  expect_refusals(with_context, ring, 3, 2);
  expect_refusals(with_context, ring, 9, 4);
  expect_refusals(without_context(), ring, 8, 0);
}

/// An encoder's blocks have states of their own where there is a context.
TEST(ModelStateRefusal, AnEncodersContext) {
  ModelConfig config = with_context;
  config.encoder = true;
  TamperedModel model(config, plain, 0, 3);
  EXPECT_EQ(model.bind(), Status::ok);
  model.count(1, true) = 2;
  model.witness.expect(Status::bad_state, "a context of one block", [&] { return model.bind(); });
}

/// Counts at random: what bind() takes, decode() takes or refuses without a change, and what it does not is left.
void tamper_at_random(const ModelConfig& config, const BlockMemory& memory) {
  TamperedModel model(config, memory, 5, config.block.cross_dim != 0 ? 3 : 0);
  const AlignedMemory good = model.built.state;
  Random random(17);
  std::uint32_t taken = 0;
  std::uint32_t refused = 0;
  for (int round = 0; round < 600; ++round) {
    model.built.state = good;
    const bool same = random.between(0, 3) == 0;
    const std::uint32_t common[] = {random.between(0, memory.max_keys + 1), random.between(0, 5)};
    for (std::uint32_t block = 0; block < config.blocks; ++block) {
      model.count(block, false) = same ? common[0] : random.between(3, 5);
      if (config.block.cross_dim != 0) model.count(block, true) = same ? common[1] : random.between(2, 3);
    }
    bool agree = memory.ring || model.count(0, false) <= memory.max_keys;
    for (std::uint32_t block = 0; block < config.blocks; ++block) {
      agree = agree && model.count(block, false) == model.count(0, false);
      if (config.block.cross_dim == 0) continue;
      agree = agree && model.count(block, true) == model.count(0, true) && model.count(block, true) <= 4;
    }
    if (!agree) {
      ++refused;
      model.witness.expect(Status::bad_state, "counts at random", [&] { return model.bind(); });
      continue;
    }
    ++taken;
    ASSERT_EQ(model.bind(), Status::ok);
    const std::uint32_t before = model.other.tokens();
    const bool context = config.block.cross_dim == 0 || model.count(0, true) != 0;
    const bool room = memory.ring || before < memory.max_keys;
    if (context && room) {
      EXPECT_EQ(model.other.decode(1, model.logits.data()), Status::ok);
      EXPECT_EQ(model.other.tokens(), before + 1);
    } else {
      model.witness.expect(room ? Status::not_initialised : Status::cache_full, "a token",
                           [&] { return model.other.decode(1, model.logits.data()); });
    }
  }
  EXPECT_GT(taken, 50U);
  EXPECT_GT(refused, 300U);
}

TEST(ModelStateRefusal, CountsAtRandom) {
  tamper_at_random(with_context, plain);
  tamper_at_random(without_context(), plain);
  tamper_at_random(with_context, ring);
}

}  // namespace
}  // namespace heed::test
