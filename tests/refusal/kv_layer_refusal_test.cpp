// SPDX-License-Identifier: MIT
//
// What a layer over a KvCache refuses besides, what either layer refuses of its memories, and that a refusal changes
// nothing.
#include <gtest/gtest.h>

#include <vector>

#include "heed/heed.hpp"
#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t model_dim = 8;

KvMultiHeadConfig sequences_of(std::uint32_t slots) {
  return {.model_dim = model_dim, .heads = 2, .max_keys = slots, .max_sequences = 3};
}

LayerWeights any_weights(Random& random) {
  return {random, completed({.model_dim = model_dim, .heads = 2, .max_keys = 1}), true};
}

/// A layer, a good call of two entries of three tokens, and everything that a call could write, watched.
struct Watched {
  Random random{5};
  LayerWeights weights = any_weights(random);
  KvLayer layer;
  std::vector<float> x = random.normals(2 * 30 * model_dim);
  std::vector<float> y = std::vector<float>(2 * 30 * model_dim, -7.0F);
  MultiHeadInputs in;
  MultiHeadOutputs out;
  Witness witness;

  explicit Watched(const KvMultiHeadConfig& config, bool scratch_too = true) : layer(config, weights.view()) {
    in.batch = 2;
    in.tokens = 3;
    in.input = dense(x.data(), 30, model_dim);
    out.output = dense(y.data(), 30, model_dim);
    witness.watch("arena", scratch_too ? layer.arena.span() : layer.arena.span().first(layer.plan.state_bytes));
    witness.watch("y", y);
    witness.watch_object("layer", layer.layer);
  }

  void expect_prefill(Status status, const char* what) {
    witness.expect(status, what, [&] { return layer.layer.prefill(in, out); });
    witness.expect(status, what, [&] { return layer.layer.prefill(in, MultiHeadOptions{}, out); });
  }
  void expect_append(Status status, const char* what) {
    witness.expect(status, what, [&] { return layer.layer.append(in); });
    witness.expect(status, what, [&] { return layer.layer.append(in, MultiHeadOptions{}); });
  }
};

TEST(RefusedKvLayer, PlansThatCannotWork) {
  KvMultiHeadPlan plan;
  const auto refused = [&](auto change) {
    KvMultiHeadConfig config = sequences_of(16);
    change(config);
    return make_plan(config, plan);
  };
  using C = KvMultiHeadConfig;
  EXPECT_EQ(refused([](C&) {}), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.heads = 3; }), Status::heads_not_divisible);
  EXPECT_EQ(refused([](C& c) { c.heads = 3, c.head_dim = 5; }), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.max_keys = 0; }), Status::zero_dimension);
  EXPECT_EQ(refused([](C& c) { c.max_keys = 17, c.max_blocks = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.ring = true, c.max_blocks = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.max_blocks = 1U << 30; }), Status::too_large);
  EXPECT_EQ(refused([](C& c) { c.sink_tokens = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.key_scales_per_channel = true; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.key_type = static_cast<DataType>(5); }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.head_dim = 1, c.value_dim = 65; }), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.head_dim = 1, c.value_dim = 65, c.value_type = DataType::int8; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.workers = 65; }), Status::bad_workers);
  MultiHeadPlan plain;
  EXPECT_EQ(make_plan(MultiHeadConfig{.model_dim = 64, .heads = 3, .max_keys = 9}, plain), Status::heads_not_divisible);
  EXPECT_EQ(make_plan(MultiHeadConfig{.model_dim = 2, .heads = 3, .max_keys = 9}, plain), Status::heads_not_divisible);
  EXPECT_EQ(make_plan(MultiHeadConfig{.model_dim = 64, .heads = 3, .head_dim = 21, .max_keys = 9}, plain), Status::ok);
}

/// init() and bind() of either layer with state and scratch apart.
template <class Cache>
void expect_memories(const typename LayerOver<Cache>::Config& config) {
  Random random(1);
  const LayerWeights weights = any_weights(random);
  LayerOver<Cache> good(config, weights.view());
  const LayerPlan<Cache>& plan = good.plan;
  const AlignedMemory state(plan.state_bytes + 64, 0xA5), scratch(plan.scratch_bytes + 64, 0x5A);
  const auto s = state.span().first(plan.state_bytes);
  const auto t = scratch.span().first(plan.scratch_bytes);
  const auto w = good.packed.span();
  Witness witness;
  witness.watch("state", state.span());
  witness.watch("scratch", scratch.span());
  witness.watch_object("layer", good.layer);
  const auto expect = [&](Status status, const char* what, const LayerPlan<Cache>& by, std::span<std::byte> of_state,
                          std::span<std::byte> of_scratch, std::span<const std::byte> packed) {
    witness.expect(status, what, [&] { return good.layer.init(by, of_state, of_scratch, packed); });
    witness.expect(status, what, [&] { return good.layer.bind(by, of_state, of_scratch, packed); });
  };
  expect(Status::not_initialised, "no plan", {}, s, t, w);
  expect(Status::null_pointer, "no state", plan, {}, t, w);
  expect(Status::null_pointer, "no scratch", plan, s, {}, w);
  expect(Status::null_pointer, "no weights", plan, s, t, {});
  expect(Status::arena_too_small, "state", plan, s.first(s.size() - 1), t, w);
  expect(Status::arena_too_small, "scratch", plan, s, t.first(t.size() - 1), w);
  expect(Status::arena_too_small, "weights", plan, s, t, w.first(w.size() - 1));
  expect(Status::arena_misaligned, "state", plan, state.span().subspan(1, s.size()), t, w);
  expect(Status::arena_misaligned, "scratch", plan, s, scratch.span().subspan(32, t.size()), w);
  const AlignedMemory others(plan.weights_bytes, 0);
  expect(Status::wrong_weights, "weights", plan, s, t, others.span());
  EXPECT_EQ(good.layer.init(plan, s, t, w), Status::ok);
  std::memset(s.data(), 0xFF, sizeof(std::uint32_t));  // the tokens of the first sequence
  witness.expect(Status::bad_state, "tokens without end", [&] { return good.layer.bind(plan, s, t, w); });
}

TEST(RefusedKvLayer, MemoriesThatAreTooSmallOrMisaligned) {
  expect_memories<FloatKvCache>({.model_dim = model_dim, .heads = 2, .max_keys = 40});
  expect_memories<KvCache>(sequences_of(40));
}

TEST(RefusedKvLayer, CallsOfALayerThatIsNotInitialised) {
  KvMultiHeadAttention layer;
  float x[model_dim] = {}, y[model_dim];
  EXPECT_EQ(layer.decode(x, y), Status::not_initialised);
  EXPECT_EQ(layer.decode(x, y, 0, MultiHeadOptions{}), Status::not_initialised);
  EXPECT_EQ(layer.append(1, nullptr, 1, {x, 0, 0}), Status::not_initialised);
  EXPECT_EQ(layer.append({}, MultiHeadOptions{}), Status::not_initialised);
  EXPECT_EQ(layer.attend({}, MultiHeadOutputs{}), Status::not_initialised);
}

TEST(RefusedKvLayer, SequencesAndRoom) {
  Watched w(sequences_of(10));
  ASSERT_EQ(w.layer.layer.append(w.in), Status::ok);
  const std::uint32_t twice[] = {1, 1}, fourth[] = {0, 3};
  w.in.sequence_ids = twice;
  w.expect_prefill(Status::bad_sequence, "a sequence twice");
  w.expect_append(Status::bad_sequence, "a sequence twice");
  w.in.sequence_ids = fourth;
  w.expect_prefill(Status::bad_sequence, "sequence 3 of 3");
  w.in.sequence_ids = nullptr;
  w.in.tokens = 8;
  w.expect_prefill(Status::cache_full, "3 + 8 tokens in 10 slots");
  w.expect_append(Status::cache_full, "3 + 8 tokens in 10 slots");
  w.in.tokens = 3;
  const std::uint32_t table[] = {0, 1};
  w.in.block_table = table;
  w.expect_prefill(Status::plan_mismatch, "a block table for a plan without");
  Layer plain({.model_dim = model_dim, .heads = 2, .max_keys = 10, .max_sequences = 2}, w.weights.view());
  EXPECT_EQ(plain.layer.prefill(w.in, w.out), Status::plan_mismatch);
  EXPECT_EQ(plain.layer.append(w.in), Status::plan_mismatch);
}

TEST(RefusedKvLayer, Rings) {
  KvMultiHeadConfig config = sequences_of(4);
  config.ring = true;
  Watched w(config);
  w.in.tokens = 5;
  w.witness.expect(Status::cache_full, "encode() of more than the ring",
                   [&] { return w.layer.layer.encode(w.in, w.out); });
  const std::uint32_t lengths[] = {2, 2};
  w.in.key_lengths = lengths;
  w.expect_prefill(Status::ring_wrapped, "key lengths and a token that overwrites");
  w.in.key_lengths = nullptr;
  const auto with = [&](const char* what, auto change) {
    MultiHeadOptions options;
    change(options.attention);
    w.witness.expect(Status::ring_wrapped, what, [&] { return w.layer.layer.prefill(w.in, options, w.out); });
    w.in.tokens = 4;
    EXPECT_EQ(w.layer.layer.encode(w.in, options, w.out), Status::ok);
    w.in.tokens = 2;
    w.witness.expect(Status::ring_wrapped, what, [&] { return w.layer.layer.prefill(w.in, options, w.out); });
    w.in.tokens = 1;
    EXPECT_EQ(w.layer.layer.prefill(w.in, options, w.out), Status::ok);
    w.in.tokens = 5;
    EXPECT_EQ(w.layer.layer.prefill(w.in, w.out), Status::ok);
  };
  const std::uint32_t ones[] = {1, 1};
  with("a prefix", [&](AttentionOptions& options) { options.prefix_lengths = ones; });
  with("query lengths", [&](AttentionOptions& options) { options.query_lengths = ones; });
}

TEST(RefusedKvLayer, Blocks) {
  KvMultiHeadConfig config = sequences_of(16);
  config.max_sequences = 6;
  config.max_blocks = 2;
  Watched w(config);
  std::uint32_t table[] = {0, 1, 2, 3};
  std::uint32_t past[] = {0, 0};
  w.in.block_table = table;
  w.in.past_lengths = past;
  w.in.tokens = 20;
  ASSERT_EQ(w.layer.layer.append(w.in), Status::ok);
  past[0] = past[1] = 20;
  w.in.tokens = 13;
  w.expect_prefill(Status::cache_full, "33 tokens in two blocks of 16");
  w.in.tokens = 3;
  past[1] = 19;
  w.expect_prefill(Status::bad_length, "19 tokens where 20 are");
  w.expect_append(Status::bad_length, "19 tokens where 20 are");
  EXPECT_EQ(w.layer.layer.attend(w.in, w.out), Status::ok) << "the first 19 of 20 tokens";
  past[1] = 21;
  w.expect_prefill(Status::bad_length, "21 tokens where 20 are");
  past[1] = 33;
  w.expect_prefill(Status::bad_length, "33 tokens in two blocks of 16");
  w.witness.expect(Status::bad_length, "33 tokens to attend over", [&] { return w.layer.layer.attend(w.in, w.out); });
  past[1] = 20;
  table[3] = 1;
  w.expect_prefill(Status::bad_sequence, "two entries append to one block");
  table[3] = 6;
  w.expect_prefill(Status::bad_sequence, "block 6 of 6");
  table[3] = 4;
  w.expect_prefill(Status::bad_length, "an empty block where 4 tokens are expected");
  table[3] = 3;
  const std::uint32_t lengths[] = {2, 2};
  w.in.key_lengths = lengths;
  w.expect_prefill(Status::bad_option, "key lengths beside a block table");
  w.in.key_lengths = nullptr;
  table[1] = 0;
  w.witness.expect(Status::bad_sequence, "a block twice", [&] {
    w.in.tokens = 20;
    return w.layer.layer.encode(w.in, w.out);
  });
  table[1] = 1;
  w.in.tokens = 3;
  table[2] = 0;  // a prefix that both share
  ASSERT_EQ(w.layer.layer.prefill(w.in, w.out), Status::ok);
}

TEST(RefusedKvLayer, ScalesPerChannelAndKeysThatTheyCannotHold) {
  KvMultiHeadConfig config = sequences_of(30);
  config.key_type = DataType::int8;
  config.key_scales_per_channel = true;
  config.scratch_budget = 1;  // one token is projected at a time
  Watched w(config, /*scratch_too=*/false);
  w.expect_prefill(Status::bad_scale, "no scales");
  const std::vector<float> scales(8, 0.03F);
  ASSERT_EQ(w.layer.layer.cache().set_key_scales(scales), Status::ok);
  ASSERT_EQ(w.layer.layer.prefill(w.in, w.out), Status::ok);
  w.x[(30 + 2) * model_dim] = infinity;
  w.expect_prefill(Status::not_finite, "an infinite token in the second entry");
  w.expect_append(Status::not_finite, "an infinite token in the second entry");
  w.witness.expect(Status::not_finite, "encode()", [&] { return w.layer.layer.encode(w.in, w.out); });
  w.witness.expect(Status::not_finite, "decode()",
                   [&] { return w.layer.layer.decode(w.x.data() + (30 + 2) * model_dim, w.y.data()); });
  EXPECT_EQ(w.layer.layer.cache().tokens(1), 3U);
}

}  // namespace
}  // namespace heed::test
