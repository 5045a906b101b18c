// SPDX-License-Identifier: MIT
//
// Blocks composed by hand: an encoder block, and a decoder block that looks at its rows, against their twins.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "transformer/random_model.hpp"
#include "transformer/reference_model.hpp"

namespace heed::test {
namespace {

/// A block with its memories.
struct BuiltBlock {
  BlockPlan plan;
  AlignedMemory weights{0}, state{0}, scratch{0};
  TransformerBlock block;

  BuiltBlock(const BlockConfig& config, const BlockMemory& memory, const BlockWeights& from) {
    BlockPlan packing;
    EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, packing), Status::ok);
    EXPECT_EQ(make_plan(config, memory, plan), Status::ok);
    EXPECT_EQ(plan.weights_bytes, packing.weights_bytes);
    weights = AlignedMemory(plan.weights_bytes);
    state = AlignedMemory(plan.state_bytes);
    scratch = AlignedMemory(plan.scratch_bytes);
    EXPECT_EQ(pack_block(packing, from, weights.span()), Status::ok);
    EXPECT_EQ(block.init(plan, state.span(), scratch.span(), weights.span()), Status::ok);
    EXPECT_EQ(block.plan().state_bytes, plan.state_bytes);
    EXPECT_EQ(block.plan().scratch_bytes, plan.scratch_bytes);
    EXPECT_EQ(std::as_const(block).cache().tokens(0), 0U);
  }
};

double largest_difference(const std::vector<float>& rows, const Numbers& expected) {
  double most = 1.0;
  double worst = 0.0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    most = std::max(most, std::abs(expected[i]));
    worst = std::max(worst, std::abs(double{rows[i]} - expected[i]));
  }
  return worst / most;
}

/// An encoder of 7 rows of 10 and a decoder of rows of 12 that looks at them.
struct Pair {
  ModelConfig encoder = completed({.block = {.model_dim = 10, .heads = 2, .activation = Activation::gelu_tanh},
                                   .blocks = 1,
                                   .input_dim = 3,
                                   .max_positions = 9,
                                   .positions = Positions::none,
                                   .encoder = true});
  ModelConfig decoder = completed({.block = {.model_dim = 12,
                                             .heads = 3,
                                             .cross_dim = 10,
                                             .norm = Norm::rms_norm,
                                             .norm_placement = NormPlacement::after,
                                             .gated = true},
                                   .blocks = 1,
                                   .input_dim = 3,
                                   .max_positions = 9,
                                   .positions = Positions::none});
  RandomWeights encoder_weights{1, encoder};
  RandomWeights decoder_weights{2, decoder};
  std::vector<float> source;
  std::vector<float> target;

  Pair() {
    Random random(3);
    source = random.normals(std::size_t{7} * 10);
    target = random.normals(std::size_t{5} * 12);
  }
};

TEST(Block, AnEncoderAndADecoderThatLooksAtIt) {
  const Pair pair;
  BuiltBlock encoder(pair.encoder.block, {.rows = 7, .max_keys = 7}, pair.encoder_weights.blocks[0]);
  std::vector<float> source = pair.source;
  ASSERT_EQ(encoder.block.encode(source.data(), 7), Status::ok);
  Numbers expected(pair.source.begin(), pair.source.end());
  reference_block(pair.encoder, pair.encoder_weights.blocks[0], {}, expected);
  EXPECT_LE(largest_difference(source, expected), 1e-5);

  BuiltBlock decoder(pair.decoder.block, {.rows = 4, .max_keys = 5, .max_cross_keys = 7},
                     pair.decoder_weights.blocks[0]);
  EXPECT_FALSE(decoder.block.has_context());
  ASSERT_EQ(decoder.block.set_context(dense<const float>(source.data(), 7, 10), 7), Status::ok);
  std::vector<float> target = pair.target;
  ASSERT_EQ(decoder.block.prefill(target.data(), 4), Status::ok);
  ASSERT_EQ(decoder.block.prefill(target.data() + 4 * 12, 1), Status::ok);
  EXPECT_EQ(decoder.block.cache().length(0), 5);
  Numbers expected_target(pair.target.begin(), pair.target.end());
  reference_block(pair.decoder, pair.decoder_weights.blocks[0], expected, expected_target);
  EXPECT_LE(largest_difference(target, expected_target), 1e-5);
}

TEST(Block, AContextCanBeReplacedAndAStateMoved) {
  const Pair pair;
  const BlockMemory memory{.rows = 5, .max_keys = 10, .max_cross_keys = 7};
  const BlockWeights& weights = pair.decoder_weights.blocks[0];
  const auto run = [&](std::uint32_t first_context) {
    BuiltBlock built(pair.decoder.block, memory, weights);
    for (const std::uint32_t rows : {first_context, 3U}) {
      EXPECT_EQ(built.block.set_context(dense(pair.source.data(), rows, 10), rows), Status::ok);
    }
    AlignedMemory elsewhere(built.plan.state_bytes);
    std::memcpy(elsewhere.span().data(), built.state.span().data(), built.plan.state_bytes);
    TransformerBlock moved;
    EXPECT_EQ(moved.bind(built.plan, elsewhere.span(), built.scratch.span(), built.weights.span()), Status::ok);
    std::vector<float> target = pair.target;
    EXPECT_EQ(moved.prefill(target.data(), 5), Status::ok);
    return target;
  };
  EXPECT_EQ(run(7), run(3));
  EXPECT_EQ(run(1), run(3));
}

TEST(Block, RefusesWhatIsMissing) {
  const Pair pair;
  const BlockMemory memory{.rows = 5, .max_keys = 10, .max_cross_keys = 7};
  const BlockWeights& weights = pair.decoder_weights.blocks[0];
  BuiltBlock built(pair.decoder.block, memory, weights);
  BlockPlan packing;
  ASSERT_EQ(make_plan(pair.decoder.block, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, packing), Status::ok);
  AlignedMemory packed(packing.weights_bytes);
  EXPECT_EQ(pack_block(BlockPlan{}, weights, packed.span()), Status::not_initialised);
  for (const float* MultiHeadWeights::*field :
       {&MultiHeadWeights::query, &MultiHeadWeights::key, &MultiHeadWeights::value, &MultiHeadWeights::output}) {
    BlockWeights missing = weights;
    missing.attention.*field = nullptr;
    EXPECT_EQ(pack_block(packing, missing, packed.span()), Status::null_pointer);
  }
  for (const float* BlockWeights::*field : {&BlockWeights::up, &BlockWeights::down}) {
    BlockWeights missing = weights;
    missing.*field = nullptr;
    EXPECT_EQ(pack_block(packing, missing, packed.span()), Status::null_pointer);
  }
  for (NormWeights BlockWeights::*field : {&BlockWeights::attention_norm, &BlockWeights::mlp_norm}) {
    BlockWeights missing = weights;
    (missing.*field).weight = nullptr;
    EXPECT_EQ(pack_block(packing, missing, packed.span()), Status::null_pointer);
  }
  EXPECT_EQ(pack_block(packing, weights, packed.span().first(packing.weights_bytes - 1)), Status::arena_too_small);

  TransformerBlock block;
  std::vector<float> rows = pair.target;
  EXPECT_EQ(block.prefill(rows.data(), 1), Status::not_initialised);
  const auto init = [&](const BlockPlan& plan, std::size_t state, std::size_t scratch, std::size_t bytes) {
    return block.init(plan, built.state.span().first(state), built.scratch.span().first(scratch),
                      built.weights.span().first(bytes));
  };
  const BlockPlan& plan = built.plan;
  EXPECT_EQ(init({}, plan.state_bytes, plan.scratch_bytes, plan.weights_bytes), Status::not_initialised);
  EXPECT_EQ(init(plan, plan.state_bytes - 1, plan.scratch_bytes, plan.weights_bytes), Status::arena_too_small);
  EXPECT_EQ(init(plan, plan.state_bytes, plan.scratch_bytes - 1, plan.weights_bytes), Status::arena_too_small);
  EXPECT_EQ(init(plan, plan.state_bytes, plan.scratch_bytes, plan.weights_bytes - 1), Status::arena_too_small);
  ASSERT_EQ(init(plan, plan.state_bytes, plan.scratch_bytes, plan.weights_bytes), Status::ok);
  EXPECT_EQ(block.prefill(rows.data(), 1), Status::not_initialised) << "without a context";
  ASSERT_EQ(block.set_context(dense(pair.source.data(), 3, 10), 3), Status::ok);
  EXPECT_EQ(block.prefill(rows.data(), 0), Status::zero_dimension);
  EXPECT_EQ(block.prefill(rows.data(), 6), Status::too_large);
  EXPECT_EQ(block.prefill(nullptr, 1), Status::null_pointer);
  EXPECT_EQ(rows, pair.target);
  std::byte& of_header = built.weights.span()[plan.attention_weights.offset];
  of_header ^= std::byte{1};
  EXPECT_EQ(init(plan, plan.state_bytes, plan.scratch_bytes, plan.weights_bytes), Status::wrong_weights);
}

}  // namespace
}  // namespace heed::test
