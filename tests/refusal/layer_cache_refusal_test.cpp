// SPDX-License-Identifier: MIT
//
// What a layer refuses of its plan, its memories and the sequences, ring or pages of its cache, and that a refusal
// changes nothing.
#include <gtest/gtest.h>

#include <vector>

#include "heed/heed.hpp"
#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t model_dim = 8;

MultiHeadConfig sequences_of(std::uint32_t slots) {
  return {.model_dim = model_dim, .heads = 2, .max_keys = slots, .max_sequences = 3};
}

LayerWeights any_weights(Random& random) {
  return {random, completed({.model_dim = model_dim, .heads = 2, .max_keys = 1}), true};
}

/// A layer, a good call of two entries of three tokens, and everything that a call could write, watched.
struct Watched {
  Random random{5};
  LayerWeights weights = any_weights(random);
  Layer layer;
  std::vector<float> x = random.normals(2 * 30 * model_dim);
  std::vector<float> y = std::vector<float>(2 * 30 * model_dim, -7.0F);
  MultiHeadInputs in;
  MultiHeadOutputs out;
  Witness witness;

  explicit Watched(const MultiHeadConfig& config, const KvRing& ring = kv_ring, bool scratch_too = true)
      : layer(config, weights.view(), ring) {
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

TEST(RefusedLayerCache, PlansThatCannotWork) {
  MultiHeadPlan plan;
  const auto refused = [&](auto change) {
    MultiHeadConfig config = sequences_of(16);
    change(config);
    return make_plan(config, plan);
  };
  using C = MultiHeadConfig;
  EXPECT_EQ(refused([](C&) {}), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.heads = 3; }), Status::heads_not_divisible);
  EXPECT_EQ(refused([](C& c) { c.heads = 3, c.head_dim = 5; }), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.max_keys = 0; }), Status::zero_dimension);
  EXPECT_EQ(refused([](C& c) { c.max_keys = 17, c.max_pages = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.ring = true, c.max_pages = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.max_pages = 1U << 30; }), Status::too_large);
  EXPECT_EQ(refused([](C& c) { c.sink_tokens = 2; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.key_type = DataType::int8_groups; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.key_type = static_cast<DataType>(8); }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.value_type = DataType::int8_channels; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.head_dim = 1, c.value_dim = 65; }), Status::ok);
  EXPECT_EQ(refused([](C& c) { c.head_dim = 1, c.value_dim = 65, c.value_type = DataType::int8; }), Status::bad_option);
  EXPECT_EQ(refused([](C& c) { c.workers = 65; }), Status::bad_workers);
  EXPECT_EQ(refused([](C& c) { c.model_dim = 2, c.heads = 3; }), Status::heads_not_divisible);
}

/// init() and bind() with state and scratch apart.
TEST(RefusedLayerCache, MemoriesThatAreTooSmallOrMisaligned) {
  Random random(1);
  const LayerWeights weights = any_weights(random);
  Layer good(sequences_of(40), weights.view());
  const MultiHeadPlan& plan = good.plan;
  const AlignedMemory state(plan.state_bytes + 64, 0xA5), scratch(plan.scratch_bytes + 64, 0x5A);
  const auto s = state.span().first(plan.state_bytes);
  const auto t = scratch.span().first(plan.scratch_bytes);
  const auto w = good.packed.span();
  Witness witness;
  witness.watch("state", state.span());
  witness.watch("scratch", scratch.span());
  witness.watch_object("layer", good.layer);
  const auto expect = [&](Status status, const char* what, const MultiHeadPlan& by, std::span<std::byte> of_state,
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

TEST(RefusedLayerCache, CallsOfALayerThatIsNotInitialised) {
  MultiHeadAttention layer;
  float x[model_dim] = {}, y[model_dim];
  EXPECT_EQ(layer.decode(x, y), Status::not_initialised);
  EXPECT_EQ(layer.decode(x, y, 0, MultiHeadOptions{}), Status::not_initialised);
  EXPECT_EQ(layer.append(1, nullptr, 1, {x, 0, 0}), Status::not_initialised);
  EXPECT_EQ(layer.append({}, MultiHeadOptions{}), Status::not_initialised);
  EXPECT_EQ(layer.attend({}, MultiHeadOutputs{}), Status::not_initialised);
}

TEST(RefusedLayerCache, SequencesAndRoom) {
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
  w.in.page_table = table;
  w.expect_prefill(Status::plan_mismatch, "a page table for a plan without");
  w.expect_append(Status::plan_mismatch, "a page table for a plan without");
}

/// Lengths that would count tokens that a call overwrites.
TEST(RefusedLayerCache, Rings) {
  MultiHeadConfig config = sequences_of(4);
  config.ring = true;
  Watched w(config, kv_ring_with_positions);
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

/// What a ring that is only decoded does not know, wrapped around or not.
TEST(RefusedLayerCache, RingsThatKnowNoPositions) {
  MultiHeadConfig config = sequences_of(4);
  config.ring = true;
  Watched w(config);
  const std::uint32_t ones[] = {1, 1};
  const float numbers[] = {1, 1, 1};
  for (const std::uint32_t tokens : {3U, 1U}) {
    w.in.tokens = tokens;
    const auto refuse = [&](const char* what, auto change) {
      MultiHeadOptions options;
      change(options.attention);
      MultiHeadAttention& layer = w.layer.layer;
      w.witness.expect(Status::missing_format, what, [&] { return layer.prefill(w.in, options, w.out); });
      w.witness.expect(Status::missing_format, what, [&] { return layer.attend(w.in, options, w.out); });
      w.witness.expect(Status::missing_format, what, [&] { return layer.decode(w.x.data(), w.y.data(), 0, options); });
    };
    refuse("a window", [](AttentionOptions& options) { options.left_window = 3; });
    refuse("a window", [](AttentionOptions& options) { options.right_window = 1; });
    refuse("slopes", [&](AttentionOptions& options) { options.alibi_slopes = numbers; });
    refuse("a relative bias", [&](AttentionOptions& options) { options.relative_bias = {numbers, 0, 1, 1}; });
    refuse("query lengths", [&](AttentionOptions& options) { options.query_lengths = ones; });
    w.in.causal = Causal::top_left;
    w.witness.expect(Status::missing_format, "a causal mask", [&] { return w.layer.layer.attend(w.in, w.out); });
    w.in.causal = Causal::none;
    for (int call = 0; call < 3; ++call) EXPECT_EQ(w.layer.layer.prefill(w.in, w.out), Status::ok);
    EXPECT_EQ(w.layer.layer.attend(w.in, w.out), Status::ok);
  }
}

TEST(RefusedLayerCache, Pages) {
  MultiHeadConfig config = sequences_of(16);
  config.max_sequences = 6;
  config.max_pages = 2;
  Watched w(config);
  std::uint32_t table[] = {0, 1, 2, 3};
  std::uint32_t past[] = {0, 0};
  w.in.page_table = table;
  w.in.past_lengths = past;
  w.in.tokens = 20;
  ASSERT_EQ(w.layer.layer.append(w.in), Status::ok);
  past[0] = past[1] = 20;
  w.in.tokens = 13;
  w.expect_prefill(Status::cache_full, "33 tokens in two pages of 16");
  w.in.tokens = 3;
  past[1] = 19;
  w.expect_prefill(Status::bad_length, "19 tokens where 20 are");
  w.expect_append(Status::bad_length, "19 tokens where 20 are");
  EXPECT_EQ(w.layer.layer.attend(w.in, w.out), Status::ok) << "the first 19 of 20 tokens";
  past[1] = 21;
  w.expect_prefill(Status::bad_length, "21 tokens where 20 are");
  past[1] = 33;
  w.expect_prefill(Status::bad_length, "33 tokens in two pages of 16");
  w.witness.expect(Status::bad_length, "33 tokens to attend over", [&] { return w.layer.layer.attend(w.in, w.out); });
  past[1] = 20;
  table[3] = 1;
  w.expect_prefill(Status::bad_sequence, "two entries append to one page");
  table[3] = 6;
  w.expect_prefill(Status::bad_sequence, "page 6 of 6");
  table[3] = 4;
  w.expect_prefill(Status::bad_length, "an empty page where 4 tokens are expected");
  table[3] = 3;
  const std::uint32_t lengths[] = {2, 2};
  w.in.key_lengths = lengths;
  w.expect_prefill(Status::bad_option, "key lengths beside a page table");
  w.in.key_lengths = nullptr;
  table[1] = 0;
  w.witness.expect(Status::bad_sequence, "a page twice", [&] {
    w.in.tokens = 20;
    return w.layer.layer.encode(w.in, w.out);
  });
  table[1] = 1;
  w.in.tokens = 3;
  table[2] = 0;  // a prefix that both share
  ASSERT_EQ(w.layer.layer.prefill(w.in, w.out), Status::ok);
}

TEST(RefusedLayerCache, ScalesPerChannelAndKeysThatTheyCannotHold) {
  MultiHeadConfig config = sequences_of(30);
  config.key_type = DataType::int8_channels;
  config.scratch_budget = 1;  // one token is projected at a time
  Watched w(config, kv_ring, /*scratch_too=*/false);
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
