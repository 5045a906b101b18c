// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "support/effort.hpp"
#include "support/threads.hpp"

namespace heed::test {
namespace {

/// y = x W^T + b in double precision, rounded to float at the end.
std::vector<float> project(const std::vector<float>& x, std::size_t inputs, const std::vector<float>& weight,
                           const std::vector<float>& bias) {
  const std::size_t outputs = weight.size() / inputs;
  std::vector<float> result;
  for (std::size_t row = 0; row * inputs < x.size(); ++row) {
    for (std::size_t o = 0; o < outputs; ++o) {
      double sum = bias.empty() ? 0.0 : bias[o];
      for (std::size_t i = 0; i < inputs; ++i) {
        sum += double{x[row * inputs + i]} * weight[o * inputs + i];
      }
      result.push_back(static_cast<float>(sum));
    }
  }
  return result;
}

/// [tokens, heads * dim] to heads first.
std::vector<float> split_heads(const std::vector<float>& rows, std::uint32_t heads, std::uint32_t dim) {
  const auto tokens = static_cast<std::uint32_t>(rows.size() / heads / dim);
  return swap_heads_and_rows(rows, 1, tokens, heads, dim);
}

struct Naive {
  std::vector<float> heads;  ///< [heads, tokens, value_dim]
  std::vector<float> y;      ///< [tokens, output_dim]
  Expected attention;
};

Naive naive_layer(const MultiHeadConfig& c, const LayerWeights& w, const std::vector<float>& x,
                  const std::vector<float>& memory, Causal causal) {
  const std::vector<float> q = project(x, c.model_dim, w.query, w.query_bias);
  const std::vector<float> k = project(memory, c.kv_input_dim, w.key, w.key_bias);
  const std::vector<float> v = project(memory, c.kv_input_dim, w.value, w.value_bias);
  AttentionCase a;
  a.shape = {.heads = c.heads,
             .kv_heads = c.kv_heads,
             .queries = static_cast<std::uint32_t>(x.size() / c.model_dim),
             .keys = static_cast<std::uint32_t>(memory.size() / c.kv_input_dim),
             .head_dim = c.head_dim,
             .value_dim = c.value_dim};
  a.causal = causal;
  a.query = split_heads(q, c.heads, c.head_dim);
  a.key = split_heads(k, c.kv_heads, c.head_dim);
  a.value = split_heads(v, c.kv_heads, c.value_dim);
  Naive naive;
  naive.attention = reference_attention(a);
  for (const double value : naive.attention.output) naive.heads.push_back(static_cast<float>(value));
  const std::vector<float> contexts = swap_heads_and_rows(naive.heads, 1, c.heads, a.shape.queries, c.value_dim);
  naive.y = project(contexts, std::size_t{c.heads} * c.value_dim, w.output, w.output_bias);
  return naive;
}

MultiHeadConfig any_config(Random& random) {
  MultiHeadConfig config;
  config.kv_heads = random.between(1, 3);
  config.heads = config.kv_heads * random.between(1, 3);
  config.model_dim = random.between(1, 80);
  config.head_dim = random.between(1, 40);
  config.value_dim = random.between(1, 40);
  config.kv_input_dim = random.between(0, 1) == 0 ? config.model_dim : random.between(1, 80);
  config.output_dim = random.between(1, 80);
  config.max_keys = 150;
  config.scratch_budget = random.between(0, 2) == 0 ? 1 : 0;
  return completed(config);
}

TEST(MultiHead, AgreesWithTheNaiveLayer) {
  const std::uint32_t step = std::min(case_divisor(), 5U);
  for (std::uint32_t number = 0; number < 200; number += step) {
    Random random(300 + number);
    const MultiHeadConfig config = any_config(random);
    const LayerWeights weights(random, config, number % 2 == 0);
    const std::uint32_t tokens = random.between(1, 70);
    const std::uint32_t memory_tokens = random.between(1, 150);
    const std::vector<float> x = random.normals(std::size_t{tokens} * config.model_dim);
    const std::vector<float> memory = random.normals(std::size_t{memory_tokens} * config.kv_input_dim);
    const Causal causal = number % 3 == 0 ? Causal::bottom_right : Causal::none;

    Layer layer(config, weights.view());
    std::vector<float> y(std::size_t{tokens} * config.output_dim);
    std::vector<float> heads(std::size_t{config.heads} * tokens * config.value_dim);
    std::vector<float> scores(std::size_t{config.heads} * tokens * memory_tokens);
    std::vector<float> log_sum_exp(std::size_t{config.heads} * tokens);
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense<const float>(x.data(), tokens, config.model_dim);
    in.causal = causal;
    MultiHeadOutputs out;
    out.output = dense(y.data(), tokens, config.output_dim);
    out.head_outputs = bhsd(heads.data(), config.heads, tokens, config.value_dim);
    out.scores = bhsd(scores.data(), config.heads, tokens, memory_tokens);
    out.log_sum_exp = log_sum_exp.data();
    ASSERT_EQ(layer.layer.append(1, nullptr, memory_tokens,
                                 dense<const float>(memory.data(), memory_tokens, config.kv_input_dim)),
              Status::ok);
    ASSERT_EQ(layer.layer.attend(in, out), Status::ok);

    const Naive expected = naive_layer(config, weights, x, memory, causal);
    for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], expected.y[i], 3e-5) << number;
    for (std::size_t i = 0; i < heads.size(); ++i) ASSERT_NEAR(heads[i], expected.heads[i], 3e-5) << number;
    for (std::size_t i = 0; i < scores.size(); ++i) ASSERT_NEAR(scores[i], expected.attention.weights[i], 1e-5);
    for (std::size_t i = 0; i < log_sum_exp.size(); ++i) {
      if (log_sum_exp[i] == expected.attention.log_sum_exp[i]) continue;
      ASSERT_NEAR(log_sum_exp[i], expected.attention.log_sum_exp[i], 3e-5);
    }
  }
}

TEST(MultiHead, EncodesABatchWithPaddingAsItsEntriesAlone) {
  Random random(8);
  const MultiHeadConfig config =
      completed({.model_dim = 20, .heads = 2, .max_keys = 30, .max_sequences = 3, .workers = 2});
  const LayerWeights weights(random, config, true);
  Layer layer(config, weights.view());
  constexpr std::uint32_t tokens = 30;
  const std::vector<float> x = random.normals(std::size_t{3} * tokens * 20);
  const std::uint32_t lengths[] = {30, 11, 1};
  std::vector<float> y(x.size());
  MultiHeadInputs in;
  in.batch = 3;
  in.tokens = tokens;
  in.input = dense<const float>(x.data(), tokens, 20);
  in.key_lengths = lengths;
  MultiHeadOutputs out;
  out.output = dense(y.data(), tokens, 20);
  ASSERT_EQ(layer.layer.encode(in, out, thread_per_task()), Status::ok);
  for (std::uint32_t b = 0; b < 3; ++b) {
    std::vector<float> alone(std::size_t{lengths[b]} * 20);
    MultiHeadInputs one;
    one.tokens = lengths[b];
    one.input = dense<const float>(x.data() + std::size_t{b} * tokens * 20, lengths[b], 20);
    MultiHeadOutputs written;
    written.output = dense(alone.data(), lengths[b], 20);
    ASSERT_EQ(layer.layer.encode(one, written), Status::ok);
    EXPECT_EQ(0, std::memcmp(alone.data(), &y[std::size_t{b} * tokens * 20], alone.size() * sizeof(float)));
  }
}

TEST(MultiHead, TruncatedTokensLeaveNoTrace) {
  Random random(9);
  const MultiHeadConfig config = completed({.model_dim = 16, .heads = 2, .max_keys = 64});
  const LayerWeights weights(random, config, false);
  const std::vector<float> x = random.normals(std::size_t{40} * 16);
  const std::vector<float> rejected = random.normals(std::size_t{9} * 16);
  Layer straight(config, weights.view());
  Layer rolled_back(config, weights.view());
  std::vector<float> a(16), b(16);
  for (std::size_t t = 0; t < 40; ++t) {
    ASSERT_EQ(straight.layer.decode(&x[t * 16], a.data()), Status::ok);
    if (t % 5 == 4) {
      for (std::size_t r = 0; r < 9; ++r) ASSERT_EQ(rolled_back.layer.decode(&rejected[r * 16], b.data()), Status::ok);
      ASSERT_EQ(rolled_back.layer.cache().truncate(0, static_cast<std::uint32_t>(t)), Status::ok);
    }
    ASSERT_EQ(rolled_back.layer.decode(&x[t * 16], b.data()), Status::ok);
    ASSERT_TRUE(same_bits(a, b)) << t;
  }
}

TEST(MultiHead, PackedInputWeightsAreTheSeparateOnes) {
  Random random(10);
  const MultiHeadConfig config = completed({.model_dim = 12, .heads = 3, .kv_heads = 1, .value_dim = 5, .max_keys = 8});
  const LayerWeights w(random, config, true);
  std::vector<float> matrix, bias;
  for (const auto* part : {&w.query, &w.key, &w.value}) matrix.insert(matrix.end(), part->begin(), part->end());
  for (const auto* part : {&w.query_bias, &w.key_bias, &w.value_bias})
    bias.insert(bias.end(), part->begin(), part->end());
  const MultiHeadPlan plan = Layer::plan_for(config);
  const AlignedMemory separate(plan.weights_bytes, 1);
  const AlignedMemory packed(plan.weights_bytes, 2);
  ASSERT_EQ(pack_weights(plan, w.view(), separate.span()), Status::ok);
  ASSERT_EQ(pack_weights(plan, split_packed(plan, matrix.data(), bias.data(), w.output.data(), w.output_bias.data()),
                         packed.span()),
            Status::ok);
  EXPECT_EQ(0, std::memcmp(separate.span().data(), packed.span().data(), plan.weights_bytes));
}

}  // namespace
}  // namespace heed::test
