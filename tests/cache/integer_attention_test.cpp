// SPDX-License-Identifier: MIT
//
// Attention in integers: a key block against its definition, to the bit; many blocks, options, rings and pages against
// attention in floats over the same cache, and against themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "layer/layer_case.hpp"
#include "options/options_random.hpp"
#include "support/effort.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

/// Numbers that share a scale.
struct Rounded {
  std::vector<std::int64_t> q;
  float scale = 0.0F;
};

Rounded rounded_row(const std::vector<float>& x, float most) {
  Rounded row;
  float greatest = 0.0F;
  for (const float value : x) greatest = std::max(greatest, std::abs(value));
  const bool is_zero = greatest < 0x1p-100F;
  row.scale = is_zero ? 0.0F : greatest * (1.0F / most);
  for (const float value : x) {
    row.q.push_back(is_zero ? 0 : static_cast<std::int64_t>(std::nearbyint(value * (most / greatest))));
  }
  return row;
}

/// As a cache stores it.
Rounded stored_row(const float* x, std::size_t count) {
  Rounded row;
  float greatest = 0.0F;
  for (std::size_t i = 0; i < count; ++i) greatest = std::max(greatest, std::abs(x[i]));
  std::uint32_t bits = std::bit_cast<std::uint32_t>(greatest / 127.0F);
  bits = (bits + 0xFFU) & ~0xFFU;
  while (std::bit_cast<float>(bits) * 127.0F < greatest) bits += 0x100U;
  row.scale = std::bit_cast<float>(bits);
  for (std::size_t i = 0; i < count; ++i) {
    row.q.push_back(row.scale == 0.0F ? 0 : static_cast<std::int64_t>(std::nearbyint(x[i] / row.scale)));
  }
  return row;
}

/// A weight in units of 2^-14.
std::int64_t weight_below(float below) {
  const auto steps = static_cast<std::int64_t>(std::nearbyint(std::min(double{below}, 16.0 - 0x1p-8) * 256.0));
  const std::int64_t f = steps % 256;
  return ((std::int64_t{1} << 22) - f * (11008 - 11 * f)) >> (8 + steps / 256);
}

std::vector<float> times(const float* row, std::size_t count, float factor) {
  std::vector<float> product(row, row + count);
  for (float& x : product) x *= factor;
  return product;
}

/// A row of output for at most 256 keys, of which the query sees the first `visible`.
std::vector<float> twin_row(const AttentionCase& c, std::uint32_t b, std::uint32_t h, std::uint32_t i,
                            std::uint32_t visible) {
  const AttentionShape& s = c.shape;
  const std::uint32_t kv = b * s.kv_heads + h / (s.heads / s.kv_heads);
  const float scale = c.scale != 0.0F ? c.scale : 1.0F / std::sqrt(static_cast<float>(s.head_dim));
  const std::size_t at = (std::size_t{b} * s.heads + h) * s.queries + i;
  const Rounded query = rounded_row(times(&c.query[at * s.head_dim], s.head_dim, scale * 1.44269504F), 127.0F);
  std::vector<float> scores;
  for (std::uint32_t j = 0; j < visible; ++j) {
    const Rounded key = stored_row(&c.key[(std::size_t{kv} * s.keys + j) * s.head_dim], s.head_dim);
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < s.head_dim; ++d) sum += query.q[d] * key.q[d];
    scores.push_back(static_cast<float>(sum) * (key.scale * query.scale));
  }
  std::vector<float> output(s.value_dim, 0.0F);
  if (visible == 0) return output;
  const float greatest = *std::max_element(scores.begin(), scores.end());
  std::vector<float> weights;
  std::vector<Rounded> values;
  std::int64_t total = 0;
  for (std::uint32_t j = 0; j < visible; ++j) {
    values.push_back(stored_row(&c.value[(std::size_t{kv} * s.keys + j) * s.value_dim], s.value_dim));
    const std::int64_t weight = weight_below(greatest - scores[j]);
    total += weight;
    weights.push_back(static_cast<float>(weight) * 0x1p-14F * values[j].scale);
  }
  const Rounded p = rounded_row(weights, 16383.0F);
  for (std::uint32_t d = 0; d < s.value_dim; ++d) {
    std::int64_t sum = 0;
    for (std::uint32_t j = 0; j < visible; ++j) sum += p.q[j] * values[j].q[d];
    EXPECT_LE(std::abs(sum), 0x7FFFFFFF);
    output[d] = static_cast<float>(sum) * p.scale * (1.0F / (static_cast<float>(total) * 0x1p-14F)) + 0.0F;
  }
  return output;
}

TEST(IntegerAttention, HasTheBitsOfItsDefinition) {
  Random random(1);
  for (std::uint32_t number = 0; number < 60; ++number) {
    AttentionShape shape;
    shape.batch = random.between(1, 2);
    shape.kv_heads = random.between(1, 2);
    shape.heads = shape.kv_heads * random.between(1, 3);
    shape.queries = random.between(1, 20);
    shape.keys = random.between(shape.queries, number % 10 == 0 ? 256 : 60);
    shape.head_dim = number % 15 == 0 ? random.between(1000, 1024) : random.between(1, 70);
    shape.value_dim = random.between(1, 70);
    AttentionCase c = random_case(random, shape, number % 3 == 0 ? 8.0F : 1.0F);
    c.causal = number % 2 == 0 ? Causal::bottom_right : Causal::none;
    const Result result = run(c, {.integers = true});
    std::size_t at = 0;
    for (std::uint32_t b = 0; b < shape.batch; ++b) {
      for (std::uint32_t h = 0; h < shape.heads; ++h) {
        for (std::uint32_t i = 0; i < shape.queries; ++i) {
          const std::uint32_t visible = c.causal == Causal::none ? shape.keys : shape.keys - shape.queries + i + 1;
          const std::vector<float> expected = twin_row(c, b, h, i, visible);
          for (const float x : expected) ASSERT_EQ(result.output[at++], x) << number << ", query " << i;
        }
      }
    }
  }
}

double error_between(const std::vector<float>& got, const std::vector<float>& expected) {
  double error = 0.0;
  double size = 1e-30;
  for (std::size_t i = 0; i < got.size(); ++i) {
    error += (double{got[i]} - expected[i]) * (double{got[i]} - expected[i]);
    size += double{expected[i]} * expected[i];
  }
  return std::sqrt(error / size);
}

TEST(IntegerAttention, IsCloseToAttentionInFloatsWithAnyOptions) {
  const std::uint32_t step = case_divisor();
  double total = 0.0;
  std::uint32_t cases = 0;
  for (std::uint32_t number = 0; number < 400; number += step) {
    Random random(500 + number);
    const OptionsCase c = any_options(random, number % 10 == 0 ? Size::large : Size::medium);
    const Result floats = run(c);
    const Result integers = run(c, {.base = {.integers = true}});
    const double error = error_between(integers.output, floats.output);
    ASSERT_LT(error, 0.12) << number << ": " << describe(c);
    total += error;
    ++cases;
  }
  EXPECT_LT(total / cases, 0.02);
}

TEST(IntegerAttention, ShowsNanWhereAQuerySeesIt) {
  Random random(3);
  const AttentionShape shape{
      .batch = 1, .heads = 2, .kv_heads = 1, .queries = 20, .keys = 40, .head_dim = 9, .value_dim = 7};
  AttentionCase c = random_case(random, shape);
  c.causal = Causal::bottom_right;
  const Result plain = run(c, {.integers = true});
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    for (const bool in_key : {true, false}) {
      AttentionCase spoilt = c;
      (in_key ? spoilt.key[30 * 9 + 2] : spoilt.value[30 * 7 + 2]) = bad;
      const Result result = run(spoilt, {.integers = true});
      for (std::size_t i = 0; i < result.output.size(); ++i) {
        if (i / 7 % 20 >= 10) {
          EXPECT_TRUE(std::isnan(result.output[i])) << i;
        } else {
          EXPECT_EQ(result.output[i], plain.output[i]) << i;
        }
      }
    }
  }
}

/// Layers whose attention is in integers.
MultiHeadConfig layer_config(std::uint32_t keys) {
  MultiHeadConfig config{.model_dim = 24, .heads = 4, .kv_heads = 2, .head_dim = 10, .value_dim = 7, .max_keys = keys};
  config.key_type = config.value_type = DataType::int8_integer;
  return config;
}

/// The tokens, `chunk` at a time.
std::vector<float> prefilled(Layer& layer, const std::vector<float>& x, std::uint32_t tokens, std::uint32_t chunk,
                             const MultiHeadOptions& options, const Executor& executor = {}) {
  std::vector<float> y(x.size(), -7.0F);
  for (std::uint32_t first = 0; first < tokens; first += chunk) {
    MultiHeadInputs in;
    in.tokens = std::min(chunk, tokens - first);
    in.input = dense(x.data() + std::size_t{first} * 24, in.tokens, 24);
    EXPECT_EQ(layer.layer.prefill(in, options, {.output = dense(y.data() + std::size_t{first} * 24, in.tokens, 24)},
                                  executor),
              Status::ok);
  }
  return y;
}

TEST(IntegerAttention, OfALayerIsTheSameForAnyChunksWorkersRingsAndRotation) {
  Random random(4);
  const LayerWeights weights(random, completed(layer_config(1)), true);
  const std::uint32_t tokens = 300;
  const std::vector<float> x = random.normals(std::size_t{tokens} * 24);
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 10}, rotary.plan), Status::ok);
  for (const bool ring : {false, true}) {
    for (const bool rotates : {false, true}) {
      MultiHeadConfig config = layer_config(ring ? 41 : tokens);
      config.ring = ring;
      config.sink_tokens = ring ? 3 : 0;
      MultiHeadOptions options;
      if (rotates) options.rotary = &rotary;
      Layer whole(config, weights.view(), kv_ring_with_positions);
      const std::vector<float> expected = prefilled(whole, x, tokens, tokens, options);
      for (const auto& [chunk, workers] : {std::pair{1U, 1U}, {7U, 3U}, {64U, 2U}, {129U, 2U}}) {
        MultiHeadConfig other = config;
        other.workers = workers;
        other.scratch_budget = chunk * 400;
        Layer layer(other, weights.view(), kv_ring_with_positions, static_cast<unsigned char>(chunk));
        EXPECT_TRUE(same_bits(prefilled(layer, x, tokens, chunk, options, thread_per_task()), expected))
            << chunk << (ring ? ", ring" : "") << (rotates ? ", rotated" : "");
      }
    }
  }
}

TEST(IntegerAttention, InPagesIsThatOfASequence) {
  Random random(5);
  const LayerWeights weights(random, completed(layer_config(1)), true);
  const std::uint32_t tokens = 300;
  const std::vector<float> x = random.normals(std::size_t{tokens} * 24);
  Layer sequence(layer_config(tokens), weights.view());
  const std::vector<float> expected = prefilled(sequence, x, tokens, 50, {});
  MultiHeadConfig config = layer_config(16);
  config.max_sequences = 21;
  config.max_pages = 20;
  Layer paged(config, weights.view());
  std::vector<std::uint32_t> table;
  for (std::uint32_t page = 0; page < 20; ++page) table.push_back(20 - page);
  std::vector<float> y(x.size(), -7.0F);
  for (std::uint32_t first = 0; first < tokens; first += 60) {
    MultiHeadInputs in;
    in.tokens = 60;
    in.input = dense(x.data() + std::size_t{first} * 24, in.tokens, 24);
    in.page_table = table.data();
    in.past_lengths = &first;
    ASSERT_EQ(paged.layer.prefill(in, {.output = dense(y.data() + std::size_t{first} * 24, in.tokens, 24)}),
              Status::ok);
  }
  EXPECT_TRUE(same_bits(y, expected));
}

TEST(IntegerAttention, IsRefusedWhereTypesContradict) {
  KvCachePlan cache;
  const auto status = [&cache](DataType key, DataType value) {
    return make_plan(KvCacheConfig{.head_dim = 8, .max_keys = 4, .key_type = key, .value_type = value}, cache);
  };
  EXPECT_EQ(status(DataType::int8_integer, DataType::int8), Status::bad_option);
  EXPECT_EQ(status(DataType::int8, DataType::int8_integer), Status::bad_option);
  EXPECT_EQ(status(DataType::int8_integer, DataType::int8_integer), Status::ok);
  Random random(6);
  const AttentionShape shape{
      .batch = 1, .heads = 1, .kv_heads = 1, .queries = 2, .keys = 4, .head_dim = 8, .value_dim = 8};
  const AttentionCase c = random_case(random, shape);
  for (const bool integers : {false, true}) {
    AttentionPlan other = plan_of(shape, {.integers = !integers});
    const AlignedMemory arena(other.bytes);
    const Result result = run_by(c, {.from_cache = true, .integers = integers},
                                 [&](const auto&, auto, const auto& in, const auto& out, const auto& executor) {
                                   return attend(other, arena.span(), in, out, executor);
                                 });
    EXPECT_EQ(result.status, Status::plan_mismatch);
  }
}

}  // namespace
}  // namespace heed::test
