// SPDX-License-Identifier: MIT
//
// The layer with options is its parts, put together: the same bits, however many tokens it projects at a time.
#include <gtest/gtest.h>

#include "layer/layer_options_case.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"

namespace heed::test {
namespace {

// The golden value of the arithmetic. It changes only when the meaning of a result changes.
constexpr std::uint64_t golden_layers = 0xFDF0D401D1E58C06U;

constexpr LayerMethod methods[] = {LayerMethod::attend, LayerMethod::encode, LayerMethod::prefill};

OptionsManner manner_of(Random& random) {
  OptionsManner manner;
  manner.format = static_cast<MaskFormat>(random.between(0, 1));
  manner.padding = random.between(0, 3);
  return manner;
}

void expect_composed(LayerOptionsCase c, Random& random, const char* what) {
  c.config.workers = random.between(0, 3) == 0 ? 3 : 1;
  c.config.ring = random.between(0, 3) == 0;  // one that never comes to its end
  const LayerWeights weights(random, c.config, random.between(0, 1) == 1);
  const ScoreStage stage = score_stages[random.between(0, 3)];
  OptionsManner manner = manner_of(random);
  if (c.config.workers > 1) manner.base.executor = thread_per_task();
  const LayerResult got = run(c, weights, stage, manner);
  const LayerResult expected = composed(c, weights, stage);
  SCOPED_TRACE(std::string(what) + ", method " + std::to_string(static_cast<int>(c.method)) + ", budget " +
               std::to_string(c.config.scratch_budget) + ": " + describe(c.options));
  ASSERT_EQ(got.status, Status::ok);
  ASSERT_TRUE(same_bits(got.heads, expected.heads));
  ASSERT_TRUE(same_bits(got.scores, expected.scores));
  ASSERT_TRUE(same_bits(got.log_sum_exp, expected.log_sum_exp));
  ASSERT_TRUE(same_bits(got.y, expected.y));
}

TEST(MultiHeadOptions, EveryOptionAloneIsTheCompositionOfItsParts) {
  const std::uint32_t rounds = 8 / std::min(case_divisor(), 8U);
  for (std::uint32_t option = 0; option < option_count; ++option) {
    for (const LayerMethod method : methods) {
      for (std::uint32_t round = 0; round < rounds; ++round) {
        Random random(1000 * option + 10 * round + static_cast<std::uint32_t>(method));
        LayerOptionsCase c = plain_layer_case(random, method);
        add_layer_option(random, c, static_cast<Option>(option));
        expect_composed(c, random, ("option " + std::to_string(option)).c_str());
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(MultiHeadOptions, RotaryPositionsAreThoseOfTheSequenceOrGiven) {
  const std::uint32_t cases = 90 / std::min(case_divisor(), 6U);
  for (std::uint32_t number = 0; number < cases; ++number) {
    Random random(70000 + number);
    LayerOptionsCase c = plain_layer_case(random, methods[number % 3]);
    if (c.shape().head_dim < 2) continue;
    add_rotary(random, c);
    expect_composed(c, random, "rotary");
    if (HasFatalFailure()) return;
  }
}

TEST(MultiHeadOptions, AllOptionsTogetherAreTheCompositionOfTheirParts) {
  const std::uint32_t cases = 600 / case_divisor();
  for (std::uint32_t number = 0; number < cases; ++number) {
    Random random(80000 + number);
    LayerOptionsCase c = plain_layer_case(random, methods[number % 3]);
    for (std::uint32_t option = 0; option < option_count; ++option) {
      if (random.between(0, 1) == 0) add_layer_option(random, c, static_cast<Option>(option));
    }
    if (c.shape().head_dim >= 2 && number % 2 == 0) add_rotary(random, c);
    expect_composed(c, random, "any options");
    if (HasFatalFailure()) return;
  }
}

/// Rotary positions, window, ALiBi, relative bias, softcap, sinks: all that depends on positions alone.
LayerOptionsCase streaming_case(std::uint32_t number) {
  Random random(90000 + number);
  LayerOptionsCase c = plain_layer_case(random, LayerMethod::prefill);
  while (c.shape().head_dim < 2) c = plain_layer_case(random, LayerMethod::prefill);
  for (const Option option : {Option::alibi, Option::relative_bias, Option::softcap, Option::sinks}) {
    add_layer_option(random, c, option);
  }
  c.options.window_left = static_cast<std::int32_t>(random.between(0, 40));
  add_rotary(random, c);
  return c;
}

/// The tokens first..first + count of a streaming case, as a call of their own.
LayerOptionsCase part_of(const LayerOptionsCase& c, std::uint32_t first, std::uint32_t count) {
  LayerOptionsCase part = c;
  AttentionShape& s = part.options.base.shape;
  s.queries = count;
  s.keys = first + count;
  part.memory = rows_of_each(c.memory, c.shape().keys, c.config.kv_input_dim, 0, s.keys);
  part.x = rows_of_each(c.memory, c.shape().keys, c.config.kv_input_dim, first, count);
  part.key_positions = rows_of_each(c.key_positions, c.shape().keys, 1, 0, s.keys);
  part.query_positions = rows_of_each(c.key_positions, c.shape().keys, 1, first, count);
  return part;
}

TEST(MultiHeadOptions, PrefillChunksAndDecodeHaveTheSameBits) {
  const std::uint32_t cases = 40 / std::min(case_divisor(), 8U);
  for (std::uint32_t number = 0; number < cases; ++number) {
    const LayerOptionsCase c = streaming_case(number);
    Random random(number);
    const LayerWeights weights(random, c.config, true);
    const std::uint32_t keys = c.shape().keys;
    const LayerResult whole = run(part_of(c, 0, keys), weights, ScoreStage::weights, {});
    ASSERT_EQ(whole.status, Status::ok);
    for (const std::uint32_t chunk : {1U, 5U, 33U}) {
      for (std::uint32_t first = 0; first < keys; first += chunk) {
        const std::uint32_t count = std::min(chunk, keys - first);
        const LayerResult part = run(part_of(c, first, count), weights, ScoreStage::weights, {});
        ASSERT_EQ(part.status, Status::ok);
        ASSERT_TRUE(same_bits(part.y, rows_of_each(whole.y, keys, c.config.output_dim, first, count)))
            << number << ", tokens from " << first << ", " << count << " at a time: " << describe(c.options);
      }
    }
  }
}

TEST(MultiHeadOptions, SelectedScoresAreThePartOfAllOfThem) {
  for (std::uint32_t number = 0; number < 30; ++number) {
    Random random(50000 + number);
    LayerOptionsCase c = plain_layer_case(random, LayerMethod::encode);
    c.options.softcap = 5.0F;
    const AttentionShape& s = c.shape();
    const LayerWeights weights(random, c.config, true);
    const LayerResult all = run(c, weights, ScoreStage::masked, {});
    const std::uint32_t head = random.between(0, s.heads - 1);
    const std::uint32_t first = random.between(0, s.queries - 1);
    const std::uint32_t count = number % 3 == 0 ? 0 : random.between(1, s.queries - first);
    const std::uint32_t rows = count == 0 ? s.queries - first : count;

    Layer layer(c.config, weights.view());
    MultiHeadInputs in;
    in.batch = s.batch;
    in.tokens = s.queries;
    in.input = dense(c.x.data(), s.queries, c.config.model_dim);
    MultiHeadOptions options;
    options.attention.softcap = 5.0F;
    options.attention.score_selection = {
        .first_head = head, .head_count = 1, .first_query = first, .query_count = count};
    std::vector<float> y(std::size_t{s.batch} * s.queries * c.config.output_dim);
    std::vector<float> scores(std::size_t{s.batch} * rows * s.keys);
    MultiHeadOutputs out;
    out.output = dense(y.data(), s.queries, c.config.output_dim);
    out.scores = bhsd(scores.data(), 1, rows, s.keys);
    out.score_stage = ScoreStage::masked;
    ASSERT_EQ(layer.layer.encode(in, options, out), Status::ok);
    std::vector<float> expected;
    for (std::size_t b = 0; b < s.batch; ++b) {
      const auto begin =
          all.scores.begin() + static_cast<std::ptrdiff_t>(((b * s.heads + head) * s.queries + first) * s.keys);
      expected.insert(expected.end(), begin, begin + static_cast<std::ptrdiff_t>(std::size_t{rows} * s.keys));
    }
    ASSERT_TRUE(same_bits(scores, expected)) << number;
    ASSERT_TRUE(same_bits(y, all.y)) << number;
  }
}

TEST(MultiHeadOptions, GoldenHash) {
  Hash hash;
  for (std::uint32_t number = 0; number < 40; ++number) {
    LayerOptionsCase c = streaming_case(number);
    Random random(number);
    if (number % 2 == 1) add_layer_option(random, c, Option::bool_mask);
    const LayerWeights weights(random, c.config, true);
    LayerResult result = run(c, weights, ScoreStage::masked, {});
    ASSERT_EQ(result.status, Status::ok);
    for (float& score : result.scores) {
      if (std::abs(score) < std::numeric_limits<float>::min()) score = 0.0F;  // as 32-bit NEON has it
    }
    hash.add(result.y);
    hash.add(result.scores);
  }
  EXPECT_EQ(hash.value(), golden_layers) << std::hex << hash.value();
}

}  // namespace
}  // namespace heed::test
