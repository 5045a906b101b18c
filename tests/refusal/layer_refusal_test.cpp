// SPDX-License-Identifier: MIT
//
// Everything that the multi-head layer refuses once it is initialised, and that a refusal changes no byte: no output,
// no token in the cache, no scratch.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t twice_the_same[] = {2, 2};
constexpr std::uint32_t sequence_3[] = {0, 3};
constexpr std::uint32_t lengths_of_4[] = {4, 4};
constexpr std::uint32_t lengths_of_8[] = {7, 8};

/// Three sequences of up to 8 tokens; 4 are held in each. A good call has batch 2 and 3 tokens.
constexpr MultiHeadConfig self_config{.model_dim = 10,
                                      .heads = 4,
                                      .kv_heads = 2,
                                      .head_dim = 5,
                                      .value_dim = 6,
                                      .output_dim = 7,
                                      .max_keys = 8,
                                      .max_sequences = 3};
constexpr MultiHeadConfig cross_config = [] {
  MultiHeadConfig config = self_config;
  config.kv_input_dim = 9;
  return config;
}();

struct LayerCall {
  MultiHeadInputs in;
  MultiHeadOutputs out;
};

using Refusals = std::vector<Refusal<LayerCall>>;

const Refusals by_every_call = {
    {"no tokens", Status::zero_dimension, [](LayerCall& c) { c.in.tokens = 0; }},
    {"batch above 2^30", Status::too_large, [](LayerCall& c) { c.in.batch = too_many_rows; }},
    {"tokens above 2^30", Status::too_large, [](LayerCall& c) { c.in.tokens = too_many_rows; }},
    {"scale infinite", Status::bad_scale, [](LayerCall& c) { c.in.scale = -infinity; }},
    {"scale NaN", Status::bad_scale, [](LayerCall& c) { c.in.scale = infinity - infinity; }},
    {"scale 2.36e38", Status::bad_scale, [](LayerCall& c) { c.in.scale = 2.36e38F; }},
    {"subnormal scale", Status::bad_scale, [](LayerCall& c) { c.in.scale = -0x1p-127F; }},
    {"more batch entries than sequences", Status::bad_sequence, [](LayerCall& c) { c.in.batch = 4; }},
    {"sequence 3 of 3", Status::bad_sequence, [](LayerCall& c) { c.in.sequence_ids = sequence_3; }},
    {"length above the keys", Status::bad_length, [](LayerCall& c) { c.in.key_lengths = lengths_of_8; }},
    {"no x", Status::null_pointer, [](LayerCall& c) { c.in.input.data = nullptr; }},
    {"x rows overflow", Status::bad_stride, [](LayerCall& c) { c.in.input.row_stride = far; }},
    {"x batch overflows", Status::bad_stride, [](LayerCall& c) { c.in.input.batch_stride = -far; }},
    {"no y", Status::null_pointer, [](LayerCall& c) { c.out.output.data = nullptr; }},
    {"y rows overlap", Status::bad_stride, [](LayerCall& c) { c.out.output.row_stride = 6; }},
    {"y batch entries coincide", Status::bad_stride, [](LayerCall& c) { c.out.output.batch_stride = 0; }},
    {"y rows overflow", Status::bad_stride, [](LayerCall& c) { c.out.output.row_stride = far; }},
    {"context rows overlap", Status::bad_stride, [](LayerCall& c) { c.out.head_outputs.row_stride = 5; }},
    {"context heads coincide", Status::bad_stride, [](LayerCall& c) { c.out.head_outputs.head_stride = 0; }},
    {"context rows overflow", Status::bad_stride, [](LayerCall& c) { c.out.head_outputs.row_stride = far; }},
    {"score rows overlap", Status::bad_stride, [](LayerCall& c) { c.out.scores.row_stride = 2; }},
    {"score heads overflow", Status::bad_stride, [](LayerCall& c) { c.out.scores.head_stride = far / 4; }},
    {"score stage 4", Status::bad_option, [](LayerCall& c) { c.out.score_stage = static_cast<ScoreStage>(4); }},
};

const Refusals by_those_that_read_causal = {
    {"causal 4", Status::bad_option, [](LayerCall& c) { c.in.causal = static_cast<Causal>(4); }},
    {"causal 255", Status::bad_option, [](LayerCall& c) { c.in.causal = static_cast<Causal>(255); }},
    {"the last token at position 2^31", Status::bad_option,
     [](LayerCall& c) {
       c.in.causal = Causal::offset;
       c.in.causal_offset = INT32_MAX - 1;
     }},
};

const Refusals by_those_that_append = {
    {"the same sequence twice", Status::bad_sequence, [](LayerCall& c) { c.in.sequence_ids = twice_the_same; }},
};

class RefusedLayer : public testing::Test {
 protected:
  RefusedLayer() {
    const ConstMatrix rows = dense<const float>(x.data(), 8, 10);
    EXPECT_EQ(self.layer.append(3, nullptr, 4, rows), Status::ok);
    EXPECT_EQ(cross.layer.append(3, nullptr, 4, dense<const float>(x.data(), 8, 9)), Status::ok);
    call.in.batch = 2;
    call.in.tokens = 3;
    call.in.input = rows;
    call.out.output = dense(y.data(), 8, 7);
    call.out.head_outputs = bhsd(contexts.data(), 4, 8, 6);
    call.out.scores = bhsd(scores.data(), 4, 8, 8);
    call.out.log_sum_exp = log_sum_exp.data();
    for (Layer* layer : {&self, &cross}) {
      witness.watch("arena", layer->arena.span());
      witness.watch("packed weights", layer->packed.span());
      witness.watch_object("layer object", layer->layer);
    }
    witness.watch("x", x);
    witness.watch("y", y);
    witness.watch("contexts", contexts);
    witness.watch("scores", scores);
    witness.watch("log-sum-exp", log_sum_exp);
  }

  template <class Method>
  void expect_refusals(const Refusals& refusals, Layer& layer, const Method& method) {
    for (const Refusal<LayerCall>& refusal : refusals) {
      LayerCall spoilt = call;
      refusal.spoil(spoilt);
      witness.expect(refusal.expected, refusal.what, [&] { return method(layer.layer, spoilt.in, spoilt.out); });
    }
    for (std::uint32_t sequence = 0; sequence < 3; ++sequence) EXPECT_EQ(layer.layer.cache().length(sequence), 4U);
  }

  static Status attend(MultiHeadAttention& layer, const MultiHeadInputs& in, const MultiHeadOutputs& out) {
    return layer.attend(in, out);
  }
  static Status prefill(MultiHeadAttention& layer, const MultiHeadInputs& in, const MultiHeadOutputs& out) {
    return layer.prefill(in, out);
  }
  static Status encode(MultiHeadAttention& layer, const MultiHeadInputs& in, const MultiHeadOutputs& out) {
    return layer.encode(in, out);
  }

  Random random{4};
  std::vector<float> x = random.normals(3 * 8 * 10);
  std::vector<float> y = std::vector<float>(3 * 8 * 7, -7.0F);
  std::vector<float> contexts = std::vector<float>(3 * 4 * 8 * 6, -7.0F);
  std::vector<float> scores = std::vector<float>(3 * 4 * 8 * 8, -7.0F);
  std::vector<float> log_sum_exp = std::vector<float>(3 * 4 * 8, -7.0F);
  LayerWeights self_weights{random, completed(self_config), true};
  LayerWeights cross_weights{random, completed(cross_config), false};
  Layer self{self_config, self_weights.view(), kv_ring, 0xA5};
  Layer cross{cross_config, cross_weights.view(), kv_ring, 0x5A};
  LayerCall call;
  Witness witness;
};

TEST_F(RefusedLayer, Attend) {
  expect_refusals(by_every_call, self, attend);
  expect_refusals(by_every_call, cross, attend);
  expect_refusals(by_those_that_read_causal, self, attend);
  EXPECT_EQ(self.layer.attend(call.in, call.out), Status::ok);
  EXPECT_EQ(cross.layer.attend(call.in, call.out), Status::ok);
  call.in.causal = Causal::offset;
  call.in.causal_offset = INT32_MAX - 2;
  EXPECT_EQ(self.layer.attend(call.in, call.out), Status::ok);
}

TEST_F(RefusedLayer, Prefill) {
  expect_refusals(by_every_call, self, prefill);
  expect_refusals(by_those_that_append, self, prefill);
  expect_refusals({{"kv_input_dim is not model_dim", Status::plan_mismatch, [](LayerCall&) {}}}, cross, prefill);
  expect_refusals({{"one token too many", Status::cache_full, [](LayerCall& c) { c.in.tokens = 5; }}}, self, prefill);
  ASSERT_EQ(self.layer.cache().truncate(0, 1), Status::ok);  // room in the first sequence and not in the second
  call.in.tokens = 5;
  witness.expect(Status::cache_full, "no room in one of the sequences",
                 [&] { return self.layer.prefill(call.in, call.out); });
  EXPECT_EQ(self.layer.cache().length(0), 1U);
  call.in.tokens = 4;
  EXPECT_EQ(self.layer.prefill(call.in, call.out), Status::ok);
  EXPECT_EQ(self.layer.cache().length(1), 8U);
}

TEST_F(RefusedLayer, Encode) {
  const Refusals lengths = {
      {"length above the tokens", Status::bad_length, [](LayerCall& c) { c.in.key_lengths = lengths_of_4; }},
      {"one token too many", Status::cache_full, [](LayerCall& c) { c.in.tokens = 9; }},
  };
  expect_refusals(by_every_call, self, encode);
  expect_refusals(by_those_that_read_causal, self, encode);
  expect_refusals(by_those_that_append, self, encode);
  expect_refusals(lengths, self, encode);
  expect_refusals({{"kv_input_dim is not model_dim", Status::plan_mismatch, [](LayerCall&) {}}}, cross, encode);
  EXPECT_EQ(self.layer.encode(call.in, call.out), Status::ok);
}

TEST_F(RefusedLayer, LengthsOfAllKeysAreAllowed) {
  const std::uint32_t lengths_of_3[] = {3, 3};
  const std::uint32_t lengths_of_7[] = {7, 7};
  call.in.key_lengths = lengths_of_4;
  EXPECT_EQ(self.layer.attend(call.in, call.out), Status::ok);
  call.in.key_lengths = lengths_of_7;
  EXPECT_EQ(self.layer.prefill(call.in, call.out), Status::ok);
  call.in.key_lengths = lengths_of_3;
  EXPECT_EQ(self.layer.encode(call.in, call.out), Status::ok);
}

TEST_F(RefusedLayer, Append) {
  const ConstMatrix good = dense<const float>(x.data(), 8, 9);
  const auto expect = [&](Status expected, const char* what, std::uint32_t batch, const std::uint32_t* sequences,
                          std::uint32_t tokens, ConstMatrix memory) {
    witness.expect(expected, what, [&] { return cross.layer.append(batch, sequences, tokens, memory); });
  };
  expect(Status::zero_dimension, "no tokens", 2, nullptr, 0, good);
  expect(Status::too_large, "batch above 2^30", too_many_rows, nullptr, 2, good);
  expect(Status::too_large, "tokens above 2^30", 2, nullptr, too_many_rows, good);
  expect(Status::bad_sequence, "more batch entries than sequences", 4, nullptr, 2, good);
  expect(Status::bad_sequence, "sequence 3 of 3", 2, sequence_3, 2, good);
  expect(Status::bad_sequence, "the same sequence twice", 2, twice_the_same, 2, good);
  expect(Status::cache_full, "one token too many", 2, nullptr, 5, good);
  expect(Status::cache_full, "2^30 tokens", 2, nullptr, 1U << 30, good);
  expect(Status::null_pointer, "no memory", 2, nullptr, 2, {nullptr, 72, 9});
  expect(Status::bad_stride, "rows overflow", 2, nullptr, 2, {x.data(), 72, far});
  expect(Status::bad_stride, "batch overflows", 2, nullptr, 2, {x.data(), far, 9});
  EXPECT_EQ(cross.layer.append(2, nullptr, 4, good), Status::ok);
}

TEST_F(RefusedLayer, Decode) {
  const auto expect = [&](Status expected, const char* what, Layer& layer, const float* from, float* to,
                          std::uint32_t sequence) {
    witness.expect(expected, what, [&] { return layer.layer.decode(from, to, sequence); });
  };
  expect(Status::null_pointer, "no x", self, nullptr, y.data(), 0);
  expect(Status::null_pointer, "no y", self, x.data(), nullptr, 0);
  expect(Status::bad_sequence, "sequence 3 of 3", self, x.data(), y.data(), 3);
  expect(Status::bad_sequence, "sequence 2^32 - 1", self, x.data(), y.data(), UINT32_MAX);
  expect(Status::plan_mismatch, "kv_input_dim is not model_dim", cross, x.data(), y.data(), 0);
  for (int token = 4; token < 8; ++token) EXPECT_EQ(self.layer.decode(x.data(), y.data(), 1), Status::ok);
  expect(Status::cache_full, "a ninth token", self, x.data(), y.data(), 1);
}

TEST_F(RefusedLayer, BindTakesNoStateThatACacheCannotLeave) {
  auto* lengths = reinterpret_cast<std::uint32_t*>(self.arena.span().data() + self.plan.state.offset +
                                                   self.plan.cache.states.offset);
  for (const std::uint32_t length : {9U, 100000U, UINT32_MAX}) {
    lengths[2] = length;
    MultiHeadAttention unbound;
    witness.expect(Status::bad_state, "bound",
                   [&] { return self.layer.bind(self.plan, self.arena.span(), self.packed.span()); });
    EXPECT_EQ(unbound.bind(self.plan, self.arena.span(), self.packed.span()), Status::bad_state);
    EXPECT_EQ(unbound.decode(x.data(), y.data()), Status::not_initialised);
  }
  lengths[2] = 8;
  EXPECT_EQ(self.layer.bind(self.plan, self.arena.span(), self.packed.span()), Status::ok);
  EXPECT_EQ(self.layer.cache().length(2), 8U);
  lengths[2] = UINT32_MAX;
  EXPECT_EQ(self.layer.init(self.plan, self.arena.span(), self.packed.span()), Status::ok);
  EXPECT_EQ(self.layer.cache().length(2), 0U);
}

}  // namespace
}  // namespace heed::test
