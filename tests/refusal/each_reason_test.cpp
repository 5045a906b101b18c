// SPDX-License-Identifier: MIT
//
// Checks with several reasons to refuse, each reason alone: what tests/mcdc.sh found that no other test has tried.
#include <gtest/gtest.h>

#include <limits>

#include "heed/heed.hpp"
#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"
#include "support/built_cache.hpp"
#include "transformer/random_model.hpp"

namespace heed::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// A span that says more than is there, for what is refused before it is read.
template <class T>
[[nodiscard]] std::span<T> pretend(T* data, std::size_t size) {
  return {data, size};
}

TEST(EachReason, CachesOfOtherShapes) {
  AttentionPlan plan;
  ASSERT_EQ(make_plan(AttentionConfig{.heads = 4, .kv_heads = 2, .head_dim = 5, .max_keys = 9}, plan), Status::ok);
  const AlignedMemory arena(plan.bytes);
  std::vector<float> query(20), output(20, -7.0F);
  for (const KvCacheConfig config : {KvCacheConfig{1, 4, 5, 5, 9}, KvCacheConfig{1, 2, 6, 5, 9},
                                     KvCacheConfig{1, 2, 5, 6, 9}, KvCacheConfig{1, 2, 5, 5, 9}}) {
    const BuiltCache built(config);
    AttentionInputs in{.batch = 1, .query_count = 1};
    in.query = bhsd<const float>(query.data(), 4, 1, 5);
    in.cache = &built.cache;
    const bool fits = config.kv_heads == 2 && config.head_dim == 5 && config.value_dim == 5;
    const Status status = attend(plan, arena.span(), in, {.output = bhsd(output.data(), 4, 1, 5)});
    EXPECT_EQ(status, fits ? Status::ok : Status::plan_mismatch);
    EXPECT_EQ(output[0], fits ? 0.0F : -7.0F);
  }
}

TEST(EachReason, RowsOfAGroupBeyond32Bits) {
  AttentionPlan plan;
  ASSERT_EQ(make_plan(AttentionConfig{.heads = 4, .kv_heads = 1, .head_dim = 5, .max_keys = 9}, plan), Status::ok);
  const AlignedMemory arena(plan.bytes);
  AttentionInputs in{.batch = 1, .query_count = max_rows};
  EXPECT_EQ(attend(plan, arena.span(), in, {}), Status::too_large);
}

TEST(EachReason, ListsThatAreTooLong) {
  std::uint32_t word = 0;
  float number = 0.0F;
  const std::span<const std::uint32_t> tokens = pretend<const std::uint32_t>(&word, std::size_t{max_rows} + 1);
  EXPECT_EQ(embedding_lookup(pretend<const float>(&number, 1), 1, tokens, {&number, 0, 1}), Status::too_large);

  RandomBits random(9);
  const std::size_t half = std::size_t{1} << 31;
  std::uint32_t token = 77;
  EXPECT_EQ(sample_token({}, pretend(&number, half), pretend(&word, half), random, token), Status::bad_length);
  EXPECT_EQ(token, 77U);
}

TEST(EachReason, PlansOfBlocks) {
  const BlockConfig config{.model_dim = 12, .heads = 2, .cross_dim = 5};
  BlockPlan plan;
  const auto status = [&](auto change) {
    BlockMemory memory{.rows = 3, .max_keys = 6, .max_cross_keys = 4};
    change(memory);
    return make_plan(config, memory, plan);
  };
  EXPECT_EQ(status([](BlockMemory& m) { m.key_type = DataType::int8_channels; }), Status::ok);
  EXPECT_EQ(status([](BlockMemory& m) { m.value_type = DataType::int8_channels; }), Status::bad_option);
  // Of keys and values alike.
  EXPECT_EQ(status([](BlockMemory& m) { m.cross_type = DataType::int8_channels; }), Status::bad_option);
  EXPECT_EQ(status([](BlockMemory& m) { m.sink_tokens = 1; }), Status::bad_option);
  // Two caches that fit 32 bits alone, and together do not.
  EXPECT_EQ(status([](BlockMemory& m) { m.max_keys = 15'000'000; }), Status::ok);
  EXPECT_EQ(status([](BlockMemory& m) { m.max_keys = m.max_cross_keys = 15'000'000; }), Status::too_large);
  EXPECT_EQ(status([](BlockMemory& m) { m.rows = 100'000'000; }), Status::too_large);
  // An attention and an MLP that fit alone.
  EXPECT_EQ(make_plan({.model_dim = 16000, .heads = 2, .mlp_dim = 65536}, {.rows = 1, .max_keys = 1}, plan),
            Status::too_large);
}

TEST(EachReason, TensorsThatAModelNeeds) {
  const ModelConfig config = completed({.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .gated = true},
                                        .blocks = 1,
                                        .input_dim = 6,
                                        .max_positions = 7,
                                        .outputs = 4,
                                        .input = ModelInput::frames,
                                        .pooling = Pooling::mean,
                                        .class_token = true,
                                        .encoder = true,
                                        .embedding_norm = true});
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 1}, plan), Status::ok);
  AlignedMemory file(plan.file.bytes);
  const auto pack = [&](auto change) {
    RandomWeights weights(4, config);
    change(weights);
    return pack_model(plan, weights.ends, weights.blocks, file.span());
  };
  EXPECT_EQ(pack([](RandomWeights&) {}), Status::ok);
  EXPECT_EQ(pack([](RandomWeights& w) { w.ends.class_token = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.ends.embedding_norm.weight = nullptr; }), Status::null_pointer);
  EXPECT_EQ(pack([](RandomWeights& w) { w.blocks[0].gate = nullptr; }), Status::null_pointer);

  // A bias that is not there is one of zeros.
  const std::vector<float> zeros(12, 0.0F);
  EXPECT_EQ(pack([&](RandomWeights& w) { w.ends.final_norm.bias = zeros.data(); }), Status::ok);
  const std::vector<std::byte> expected(file.span().begin(), file.span().end());
  EXPECT_EQ(pack([](RandomWeights& w) { w.ends.final_norm.bias = nullptr; }), Status::ok);
  EXPECT_EQ(std::memcmp(expected.data(), file.span().data(), expected.size()), 0);
}

TEST(EachReason, WeightsAndStatesOfABlock) {
  const ModelConfig config = completed({.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .cross_dim = 5},
                                        .blocks = 1,
                                        .input_dim = 9,
                                        .max_positions = 7});
  RandomWeights weights(4, config);
  BlockPlan plan;
  ASSERT_EQ(make_plan(config.block, {.rows = 1, .max_keys = 6, .max_cross_keys = 4}, plan), Status::ok);
  AlignedMemory packed(plan.weights_bytes), state(plan.state_bytes), scratch(plan.scratch_bytes);
  ASSERT_EQ(pack_block(plan, weights.blocks[0], packed.span()), Status::ok);
  TransformerBlock block;
  const auto init = [&](const Format* format) {
    return block.init(plan, state.span(), scratch.span(), {packed.span(), format});
  };
  EXPECT_EQ(init(&int8_weights), Status::missing_format);
  EXPECT_EQ(init(&int8_cache), Status::missing_format);
  for (const Region& region : {plan.attention_weights, plan.cross_weights}) {
    packed.span()[region.offset] ^= std::byte{1};
    EXPECT_EQ(init(nullptr), Status::wrong_weights);
    packed.span()[region.offset] ^= std::byte{1};
  }
  ASSERT_EQ(init(nullptr), Status::ok);
  const auto bind = [&] { return block.bind(plan, state.span(), scratch.span(), packed.span()); };
  EXPECT_EQ(bind(), Status::ok);
  for (const Region& region : {plan.attention_state, plan.cross_state}) {
    state.span()[region.offset] = std::byte{7};  // tokens, of 6 and of 4
    EXPECT_EQ(bind(), Status::bad_state);
    state.span()[region.offset] = std::byte{0};
  }
}

TEST(EachReason, ACacheWithMoreTokensThanPositions) {
  ModelConfig config =
      completed({.block = {.model_dim = 12, .heads = 2}, .blocks = 2, .input_dim = 9, .max_positions = 5});
  RandomWeights weights(4, config);
  AlignedMemory file = packed_model(config, weights.ends, weights.blocks);
  BuiltModel built(file.span(), {.rows = 3, .max_keys = 8});
  for (std::uint32_t block = 0; block < config.blocks; ++block) {
    built.state.span()[built.plan.block_state.offset + block * built.plan.block.state_bytes] = std::byte{7};
  }
  Model& model = built.model;
  ASSERT_EQ(model.bind(built.plan, built.state.span(), built.scratch.span(), file.span()), Status::ok);
  EXPECT_EQ(model.tokens(), 7U);
  std::vector<float> logits(12, -7.0F);
  const std::uint32_t token = 1;
  EXPECT_EQ(model.prefill({&token, 1}, logits.data()), Status::bad_position);
  EXPECT_EQ(logits[0], -7.0F);
  ASSERT_EQ(model.truncate(4), Status::ok);
  EXPECT_EQ(model.prefill({&token, 1}, logits.data()), Status::ok);
}

TEST(EachReason, RotatedKeysThatScalesPerChannelCannotHold) {
  BuiltCache built({.kv_heads = 2, .head_dim = 6, .max_keys = 9, .key_type = DataType::int8_channels});
  KvCache& cache = built.cache;
  ASSERT_EQ(cache.set_key_scales(std::vector<float>(12, 0.1F)), Status::ok);
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 6}, rotary.plan), Status::ok);
  std::vector<float> rows(2 * 3 * 6, 0.5F);
  const auto append = [&](std::uint32_t tokens) {
    const ConstTensor view = bhsd<const float>(rows.data(), 2, 3, 6);
    return append_rotated(cache, 0, tokens, view, view, rotary);
  };
  Witness witness;
  witness.watch("memory", built.memory.span());
  witness.watch_object("cache", cache);
  for (const std::size_t at : {0U, 17U, 35U}) {
    rows[at] = infinity;
    witness.expect(Status::not_finite, "an infinite key", [&] { return append(3); });
    rows[at] = 0.5F;
  }
  EXPECT_EQ(append(0), Status::ok);
  EXPECT_EQ(append(3), Status::ok);
  EXPECT_EQ(cache.tokens(0), 3U);
}

/// A single append finds out by itself; all others look first: several entries or pieces, a ring's end, a page table.
TEST(EachReason, KeysOfALayerThatScalesPerChannelCannotHold) {
  constexpr std::uint32_t dim = 8;
  const std::uint32_t table[] = {1, 0};
  std::uint32_t past = 0;
  const auto expect_refusal = [&](const char* what, std::uint32_t batch, auto change) {
    MultiHeadConfig config{.model_dim = dim, .heads = 2, .max_keys = 16, .max_sequences = 3};
    config.key_type = DataType::int8_channels;
    MultiHeadInputs in;
    in.batch = batch;
    in.tokens = 3;
    change(config, in);
    Random random(5);
    const LayerWeights weights(random, completed({.model_dim = dim, .heads = 2, .max_keys = 1}), true);
    Layer layer(config, weights.view());
    ASSERT_EQ(layer.layer.cache().set_key_scales(std::vector<float>(dim, 0.03F)), Status::ok);
    std::vector<float> x = random.normals(std::size_t{batch} * 3 * dim);
    in.input = dense<const float>(x.data(), 3, dim);
    ASSERT_EQ(layer.layer.append(in), Status::ok) << what;
    past = 3;
    Witness witness;
    witness.watch("state", layer.arena.span().first(layer.plan.state_bytes));
    for (const std::size_t token : {0U, 2U}) {
      x[token * dim] = infinity;
      witness.expect(Status::not_finite, what, [&] { return layer.layer.append(in); });
      x[token * dim] = 0.5F;
    }
    EXPECT_EQ(layer.layer.append(in), Status::ok) << what;
    past = 0;
  };
  expect_refusal("a single append", 1, [](MultiHeadConfig&, MultiHeadInputs&) {});
  expect_refusal("two entries", 2, [](MultiHeadConfig&, MultiHeadInputs&) {});
  expect_refusal("a token at a time", 1, [](MultiHeadConfig& c, MultiHeadInputs&) { c.scratch_budget = 1; });
  expect_refusal("a ring", 1, [](MultiHeadConfig& c, MultiHeadInputs&) {
    c.max_keys = 4;
    c.ring = true;
  });
  expect_refusal("pages", 1, [&](MultiHeadConfig& c, MultiHeadInputs& in) {
    c.max_pages = 2;
    in.page_table = table;
    in.past_lengths = &past;
  });
}

}  // namespace
}  // namespace heed::test
