// SPDX-License-Identifier: MIT
//
// A layer in a ring: a stream that never ends is, token by token, attention over what the definition of the ring holds.
#include <gtest/gtest.h>

#include "layer/ring_stream.hpp"
#include "support/effort.hpp"

namespace heed::test {
namespace {

TEST(LayerRing, TenThousandTokensInEightSlots) {
  const std::uint32_t count = 10000 / std::min(case_divisor(), 10U);
  Random random(8);
  const MultiHeadConfig config = ring_config(8, 2);
  const LayerWeights weights = ring_weights(random);
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
  Layer layer(config, weights.view());
  NaiveStream naive(layer.plan, weights, &rotary);
  const MultiHeadOptions options{.rotary = &rotary};
  for (std::uint32_t token = 0; token < count; ++token) {
    const std::vector<float> x = random.normals(6);
    std::vector<float> y(6, -7.0F);
    ASSERT_EQ(layer.layer.decode(x.data(), y.data(), 0, options), Status::ok) << token;
    ASSERT_TRUE(same_bits(y, naive.token(x))) << token;
  }
  EXPECT_EQ(layer.layer.cache().tokens(0), count);
  EXPECT_EQ(layer.layer.cache().length(0), 8U);
}

/// A prompt that overwrites what its earlier tokens must see, in calls of any size and between others.
TEST(LayerRing, PrefillOfAnySizeIsTokenByTokenDecoding) {
  for (const std::uint32_t slots : {5U, 16U, 70U}) {
    for (const bool rotates : {false, true}) {
      Random random(slots);
      const LayerWeights weights = ring_weights(random);
      Rotary rotary;
      ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
      Layer layer(ring_config(slots, slots / 5), weights.view());
      NaiveStream naive(layer.plan, weights, rotates ? &rotary : nullptr);
      for (std::uint32_t call = 0; call < 12; ++call) {
        const std::uint32_t tokens = call == 3 ? 200 : random.between(1, 40);
        const std::vector<float> x = random.normals(std::size_t{tokens} * 6);
        std::vector<float> y(x.size(), -7.0F);
        MultiHeadInputs in;
        in.tokens = tokens;
        in.input = dense(x.data(), tokens, 6);
        const MultiHeadOutputs out{.output = dense(y.data(), tokens, 6)};
        ASSERT_EQ(rotates ? layer.layer.prefill(in, {.rotary = &rotary}, out) : layer.layer.prefill(in, out),
                  Status::ok);
        std::vector<float> expected;
        for (std::uint32_t t = 0; t < tokens; ++t) {
          const std::vector<float> row = naive.token({x.begin() + t * 6, x.begin() + (t + 1) * 6});
          expected.insert(expected.end(), row.begin(), row.end());
        }
        ASSERT_TRUE(same_bits(y, expected)) << slots << " slots, call " << call << " of " << tokens;
      }
    }
  }
}

TEST(LayerRing, OfAnyTypePrefillIsDecoding) {
  using enum DataType;
  Random random(12);
  const LayerWeights weights = ring_weights(random);
  const std::vector<float> x = random.normals(std::size_t{40} * 6);
  for (const DataType type : {float16, bfloat16, int8, int4, int8_channels}) {
    MultiHeadConfig config = ring_config(7, 2);
    config.key_type = type;
    config.value_type = type == int8_channels ? int8 : type;
    Layer whole(config, weights.view());
    Layer single(config, weights.view());
    if (type == int8_channels) {
      const std::vector<float> scales(8, 0.03F);
      for (Layer* const one : {&whole, &single}) ASSERT_EQ(one->layer.cache().set_key_scales(scales), Status::ok);
    }
    std::vector<float> y[2] = {std::vector<float>(x.size()), std::vector<float>(x.size())};
    MultiHeadInputs in;
    in.tokens = 40;
    in.input = dense(x.data(), 40, 6);
    ASSERT_EQ(whole.layer.prefill(in, {.output = dense(y[0].data(), 40, 6)}), Status::ok);
    for (std::size_t t = 0; t < 40; ++t) ASSERT_EQ(single.layer.decode(&x[t * 6], &y[1][t * 6]), Status::ok);
    EXPECT_TRUE(same_bits(y[0], y[1])) << static_cast<int>(type);
  }
}

/// What goes by positions: windows, ALiBi, relative biases. In one long sequence the tokens that the window leaves are
/// those of a ring that is long enough to hold them.
TEST(LayerRing, WindowsAndBiasesAreThoseOfAnEndlessSequence) {
  const float slopes[] = {0.5F, 0.25F, 0.125F, 2.0F};
  Random random(40);
  const std::vector<float> relative = random.normals(4 * 8);
  const LayerWeights weights = ring_weights(random);
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
  Layer ring(ring_config(9, 0), weights.view(), kv_ring_with_positions);
  Layer single(ring_config(9, 0), weights.view(), kv_ring_with_positions);
  Layer endless({.model_dim = 6, .heads = 4, .kv_heads = 2, .head_dim = 4, .max_keys = 300}, weights.view());
  MultiHeadOptions options{.rotary = &rotary};
  options.attention.left_window = 6;
  options.attention.alibi_slopes = slopes;
  options.attention.relative_bias = {relative.data(), 8, 7, 0};
  double difference = 0.0;
  for (const std::uint32_t tokens : {4U, 30U, 1U, 100U, 7U, 90U}) {
    const std::vector<float> x = random.normals(std::size_t{tokens} * 6);
    std::vector<float> y[3];
    for (std::vector<float>& one : y) one.assign(x.size(), -7.0F);
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense(x.data(), tokens, 6);
    ASSERT_EQ(ring.layer.prefill(in, options, {.output = dense(y[0].data(), tokens, 6)}), Status::ok);
    ASSERT_EQ(endless.layer.prefill(in, options, {.output = dense(y[1].data(), tokens, 6)}), Status::ok);
    for (std::uint32_t t = 0; t < tokens; ++t) {
      ASSERT_EQ(single.layer.decode(x.data() + t * 6, y[2].data() + t * 6, 0, options), Status::ok);
    }
    ASSERT_TRUE(same_bits(y[0], y[2])) << tokens;
    // Sums go over slots in another order.
    for (std::size_t i = 0; i < x.size(); ++i) difference = std::max(difference, std::fabs(double{y[0][i]} - y[1][i]));
  }
  EXPECT_LT(difference, 2e-5);

  // Causal queries over what the ring holds: the last token's row is what decoding it gave.
  const std::vector<float> x = random.normals(3 * 6);
  std::vector<float> y[2] = {std::vector<float>(18), std::vector<float>(18)};
  MultiHeadInputs in;
  in.tokens = 3;
  in.input = dense(x.data(), 3, 6);
  in.causal = Causal::bottom_right;
  ASSERT_EQ(ring.layer.attend(in, options, {.output = dense(y[0].data(), 3, 6)}), Status::ok);
  ASSERT_EQ(endless.layer.attend(in, options, {.output = dense(y[1].data(), 3, 6)}), Status::ok);
  for (std::size_t i = 0; i < 18; ++i) EXPECT_NEAR(y[0][i], y[1][i], 2e-5);
}

/// However many tokens a ring has counted, a window moves with them: a state as a snapshot of a long stream has it,
/// beside one of the same slots after few tokens.
TEST(LayerRing, PositionsReachTheGreatestCountOfTokens) {
  constexpr std::uint32_t slots = 9, held = 25, tokens = 6, laps = (max_tokens - held) / slots;
  const float slopes[] = {0.5F, 0.25F, 0.125F, 2.0F};
  MultiHeadOptions options;
  options.attention.left_window = 6;
  options.attention.alibi_slopes = slopes;
  for (const std::uint32_t budget : {0U, 1U}) {
    Random random(budget);
    const LayerWeights weights = ring_weights(random);
    MultiHeadConfig config = ring_config(slots, 0);
    config.scratch_budget = budget;
    Layer layers[] = {Layer(config, weights.view(), kv_ring_with_positions),
                      Layer(config, weights.view(), kv_ring_with_positions)};
    const std::vector<float> x = random.normals(std::size_t{held} * 6);
    MultiHeadInputs in;
    for (Layer& one : layers) {
      ASSERT_EQ(one.layer.append(1, nullptr, held, dense(x.data(), held, 6)), Status::ok);
    }
    Layer& late = layers[1];
    *reinterpret_cast<std::uint32_t*>(late.arena.span().data() + late.plan.cache.states.offset) += laps * slots;
    ASSERT_EQ(
        late.layer.bind(late.plan, late.arena.span(), late.packed.span(), storage_of(config, kv_ring_with_positions)),
        Status::ok);
    const auto expect_same = [&](const char* what, auto call) {
      std::vector<float> y[2];
      for (std::uint32_t i = 0; i < 2; ++i) {
        y[i].assign(std::size_t{tokens} * 6, -7.0F);
        in.causal_offset = static_cast<std::int32_t>(layers[i].layer.cache().tokens(0) - tokens);
        ASSERT_EQ(call(layers[i].layer, MultiHeadOutputs{.output = dense(y[i].data(), tokens, 6)}), Status::ok) << what;
      }
      ASSERT_TRUE(same_bits(y[0], y[1])) << what << ", a budget of " << budget;
    };
    in.tokens = tokens;
    in.input = dense(x.data(), tokens, 6);
    for (const Causal causal : {Causal::bottom_right, Causal::offset}) {
      in.causal = causal;
      expect_same("attend", [&](auto& layer, const auto& out) { return layer.attend(in, out); });
      expect_same("attend with options", [&](auto& layer, const auto& out) { return layer.attend(in, options, out); });
    }
    in.tokens = (max_tokens - held) % slots;
    ASSERT_GT(in.tokens, 1U);
    ASSERT_LE(in.tokens, tokens);
    expect_same("prefill", [&](auto& layer, const auto& out) { return layer.prefill(in, options, out); });
    EXPECT_EQ(late.layer.cache().tokens(0), max_tokens);
    in.tokens = 1;
    EXPECT_EQ(late.layer.append(in), Status::too_large);
  }
}

TEST(LayerRing, ScoresAreInTheOrderOfSlots) {
  Random random(2);
  const LayerWeights weights = ring_weights(random);
  Layer whole(ring_config(5, 1), weights.view());
  Layer single(ring_config(5, 1), weights.view());
  const std::vector<float> x = random.normals(9 * 6);
  std::vector<float> y(9 * 6), z(6), scores(4 * 9 * 5, -7.0F), expected(4 * 9 * 5, 0.0F), row(4 * 5);
  MultiHeadInputs in;
  in.tokens = 9;
  in.input = dense(x.data(), 9, 6);
  ASSERT_EQ(whole.layer.prefill(in, {.output = dense(y.data(), 9, 6), .scores = bhsd(scores.data(), 4, 9, 5)}),
            Status::ok);
  in.tokens = 1;
  for (std::uint32_t t = 0; t < 9; ++t) {
    const std::uint32_t keys = std::min(t + 1, 5U);
    in.input.data = x.data() + t * 6;
    ASSERT_EQ(single.layer.prefill(in, {.output = dense(z.data(), 1, 6), .scores = bhsd(row.data(), 4, 1, keys)}),
              Status::ok);
    for (std::uint32_t head = 0; head < 4; ++head) {
      for (std::uint32_t k = 0; k < keys; ++k) expected[(head * 9 + t) * 5 + k] = row[head * keys + k];
    }
  }
  EXPECT_TRUE(same_bits(scores, expected));
}

TEST(LayerRing, CrossAttentionOverTheLastTokensOfAStream) {
  Random random(6);
  const LayerWeights weights = ring_weights(random);
  Layer layer(ring_config(8, 0), weights.view());
  Layer last({.model_dim = 6, .heads = 4, .kv_heads = 2, .head_dim = 4, .max_keys = 8}, weights.view());
  const std::vector<float> memory = random.normals(100 * 6);
  const std::vector<float> x = random.normals(3 * 6);
  // 96 is a multiple of the ring: slots are in the order of time again.
  ASSERT_EQ(layer.layer.append(1, nullptr, 96, dense(memory.data(), 96, 6)), Status::ok);
  ASSERT_EQ(last.layer.append(1, nullptr, 8, dense(memory.data() + 88 * 6, 8, 6)), Status::ok);
  std::vector<float> y(3 * 6), expected(3 * 6);
  MultiHeadInputs in;
  in.tokens = 3;
  in.input = dense(x.data(), 3, 6);
  ASSERT_EQ(layer.layer.attend(in, {.output = dense(y.data(), 3, 6)}), Status::ok);
  ASSERT_EQ(last.layer.attend(in, {.output = dense(expected.data(), 3, 6)}), Status::ok);
  EXPECT_TRUE(same_bits(y, expected));
}

}  // namespace
}  // namespace heed::test
