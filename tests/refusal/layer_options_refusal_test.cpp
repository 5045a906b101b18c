// SPDX-License-Identifier: MIT
//
// Everything that a layer refuses of its options, and that a refusal changes no byte: no output, no token in the cache,
// no scratch.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t batch = 2, tokens = 3, held = 4, most = 8, heads = 4, dim = 6, width = 10;
constexpr MultiHeadConfig config{
    .model_dim = width, .heads = heads, .kv_heads = 2, .head_dim = dim, .max_keys = most, .max_sequences = 3};
constexpr float sinks[heads] = {};
constexpr std::uint32_t lengths_of_4[batch] = {3, 4};
constexpr std::uint8_t mask[1] = {};

/// A table of 7 positions: as many as a sequence has after a good call.
constexpr RotaryTable<held + tokens, dim> table = rotary_table<held + tokens, dim>({.head_dim = dim});
constexpr Rotary rotary{plan(RotaryConfig{.head_dim = dim, .max_position = held + tokens}), table.values};
constexpr Rotary rotary_of_6{plan(RotaryConfig{.head_dim = dim, .max_position = held + tokens - 1}), table.values};
constexpr Rotary rotary_of_2{plan(RotaryConfig{.head_dim = dim, .max_position = tokens - 1}), table.values};
constexpr Rotary other_dim{plan(RotaryConfig{.head_dim = dim + 2})};
constexpr Rotary no_plan{};
constexpr std::uint32_t inside[batch * tokens] = {0, 6, 2, 5, 5, 6};
constexpr std::uint32_t outside[batch * tokens] = {0, 6, 2, 5, 5, 7};

struct Call {
  MultiHeadInputs in;
  MultiHeadOptions options;
  MultiHeadOutputs out;
};

const std::vector<Refusal<Call>> by_rotary = {
    {"rotary without a plan", Status::not_initialised, [](Call& c) { c.options.rotary = &no_plan; }},
    {"rotary of another head_dim", Status::plan_mismatch, [](Call& c) { c.options.rotary = &other_dim; }},
    {"the last position given is outside the table", Status::bad_position,
     [](Call& c) { c.options.positions = outside; }},
};

const Refusal<Call> outside_the_table = {"the last token's number is outside the table", Status::bad_position,
                                         [](Call& c) { c.options.rotary = &rotary_of_6; }};

const std::vector<Refusal<Call>> by_attention = {
    {"window above 2^31", Status::bad_option, [](Call& c) { c.options.attention.left_window = (1U << 31) + 1; }},
    {"softcap NaN", Status::bad_option, [](Call& c) { c.options.attention.softcap = nan; }},
    {"two kinds of sinks", Status::bad_option,
     [](Call& c) {
       c.options.attention.sink_logits = sinks;
       c.options.attention.smooth_softmax = true;
     }},
    {"more queries than tokens", Status::bad_length, [](Call& c) { c.options.attention.query_lengths = lengths_of_4; }},
    {"mask rows overflow", Status::bad_stride,
     [](Call& c) { c.options.attention.bool_mask = {mask, 0, 0, far, 1, MaskFormat::bytes}; }},
    {"scores of a head that is not there", Status::bad_length,
     [](Call& c) { c.options.attention.score_selection.first_head = heads; }},
    {"scores of more queries than tokens", Status::bad_length,
     [](Call& c) { c.options.attention.score_selection.query_count = tokens + 1; }},
    {"scores of two heads in the place of one", Status::bad_stride,
     [](Call& c) {
       c.options.attention.score_selection = {.head_count = 2, .query_count = 1};
       c.out.scores.head_stride = 1;
     }},
    {"no such stage", Status::bad_option, [](Call& c) { c.out.score_stage = static_cast<ScoreStage>(4); }},
    {"scale NaN", Status::bad_scale, [](Call& c) { c.in.scale = nan; }},
    {"no output", Status::null_pointer, [](Call& c) { c.out.output.data = nullptr; }},
};

/// A good call's tokens are 0, 1 and 2: the last one of the second entry would be at 2^31.
constexpr std::int32_t offsets_too_great[batch] = {INT32_MAX - 2, INT32_MAX - 1};
constexpr std::int32_t offsets_great[batch] = {INT32_MAX - 2, INT32_MIN};

const Refusal<Call> by_offset = {"a position of 2^31", Status::bad_option, [](Call& c) {
                                   c.in.causal = Causal::offset;
                                   c.options.attention.causal_offsets = offsets_too_great;
                                 }};

class MultiHeadOptionsRefusal : public testing::Test {
 protected:
  MultiHeadOptionsRefusal() {
    EXPECT_EQ(layer_.layer.append(batch, nullptr, held, dense(x_.data(), held, width)), Status::ok);
    witness_.watch("arena", layer_.arena.span());
    witness_.watch("y", y_);
    witness_.watch("scores", scores_);
    witness_.watch_object("layer", layer_.layer);
  }

  Call good_call() {
    Call c;
    c.in.batch = batch;
    c.in.tokens = tokens;
    c.in.input = dense(x_.data(), tokens, width);
    c.options.rotary = &rotary;
    c.out.output = dense(y_.data(), tokens, width);
    c.out.scores = bhsd(scores_.data(), heads, tokens, most);
    return c;
  }

  template <class Method>
  void expect_refused(const std::vector<Refusal<Call>>& refusals, const Method& method) {
    for (const Refusal<Call>& refusal : refusals) {
      Call c = good_call();
      refusal.spoil(c);
      witness_.expect(refusal.expected, refusal.what, [&] { return method(c); });
    }
  }

  std::vector<float> x_ = Random(3).normals(batch * held * width);
  std::vector<float> y_ = std::vector<float>(batch * tokens * width, -7.0F);
  std::vector<float> scores_ = std::vector<float>(batch * heads * tokens * most, -7.0F);
  Random random_{4};
  LayerWeights weights_{random_, completed(config), true};
  Layer layer_{config, weights_.view()};
  Witness witness_;
};

TEST_F(MultiHeadOptionsRefusal, Append) {
  const auto append = [&](const Call& c) {
    return layer_.layer.append(c.in.batch, nullptr, c.in.tokens, c.in.input, c.options);
  };
  expect_refused(by_rotary, append);
  expect_refused({outside_the_table}, append);
  Call c = good_call();
  c.options.attention.softcap = nan;  // not read
  c.options.positions = inside;
  EXPECT_EQ(append(c), Status::ok);
}

TEST_F(MultiHeadOptionsRefusal, Prefill) {
  const auto prefill = [&](const Call& c) { return layer_.layer.prefill(c.in, c.options, c.out); };
  expect_refused(by_rotary, prefill);
  expect_refused({outside_the_table}, prefill);
  expect_refused(by_attention, prefill);
  EXPECT_EQ(prefill(good_call()), Status::ok);
}

TEST_F(MultiHeadOptionsRefusal, Encode) {
  const auto encode = [&](const Call& c) { return layer_.layer.encode(c.in, c.options, c.out); };
  expect_refused(by_rotary, encode);
  expect_refused({{"the last of its own tokens is outside the table", Status::bad_position,
                   [](Call& c) { c.options.rotary = &rotary_of_2; }}},
                 encode);
  expect_refused(by_attention, encode);
  expect_refused({by_offset}, encode);
  Call c = good_call();
  c.options.rotary = &rotary_of_6;  // what the cache held does not count
  EXPECT_EQ(encode(c), Status::ok);
}

TEST_F(MultiHeadOptionsRefusal, Attend) {
  const auto attend = [&](const Call& c) { return layer_.layer.attend(c.in, c.options, c.out); };
  expect_refused(by_rotary, attend);
  expect_refused({{"more tokens than the last ones of the sequence", Status::bad_length,
                   [](Call& c) {
                     c.in.tokens = held + 1;
                     c.in.input = {c.in.input.data, 0, 0};
                     c.out.output.batch_stride = (held + 1) * width;
                     c.out.scores = {};
                   }},
                  {"a token counts as the last of the sequence", Status::bad_position,
                   [](Call& c) { c.options.rotary = &rotary_of_2; }}},
                 attend);
  expect_refused(by_attention, attend);
  expect_refused({by_offset}, attend);
  Call c = good_call();
  c.in.causal = Causal::offset;
  c.options.attention.causal_offsets = offsets_great;
  EXPECT_EQ(attend(c), Status::ok);
  c = good_call();
  c.options.rotary = &rotary_of_6;
  EXPECT_EQ(attend(c), Status::ok);
}

TEST_F(MultiHeadOptionsRefusal, AnEmptyLayer) {
  MultiHeadAttention empty;
  const Call c = good_call();
  witness_.expect(Status::not_initialised, "append",
                  [&] { return empty.append(1, nullptr, 1, c.in.input, c.options); });
  witness_.expect(Status::not_initialised, "attend", [&] { return empty.attend(c.in, c.options, c.out); });
  witness_.expect(Status::not_initialised, "prefill", [&] { return empty.prefill(c.in, c.options, c.out); });
  witness_.expect(Status::not_initialised, "encode", [&] { return empty.encode(c.in, c.options, c.out); });
}

}  // namespace
}  // namespace heed::test
