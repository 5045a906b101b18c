// SPDX-License-Identifier: MIT
//
// The stride of a dimension that has one step is never used, whatever it is: the results are those of dense strides,
// and no address is computed with it. A build with the undefined-behaviour sanitizer sees to the latter.
#include <limits>

#include "layer/layer_case.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

constexpr std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max();
constexpr std::ptrdiff_t strides[] = {0, most / 4, -most / 4, most, -most};

/// The strides of dimensions of one step are `unused`; the others as they are in a dense [batch, heads, rows, dim].
template <class Element>
Tensor<Element> view(Element* data, std::uint32_t batch, std::size_t heads, std::size_t rows, std::size_t dim,
                     std::ptrdiff_t unused) {
  Tensor<Element> dense = bhsd(data, heads, rows, dim);
  if (batch == 1) dense.batch_stride = unused;
  if (heads == 1) dense.head_stride = unused;
  if (rows == 1) dense.row_stride = unused;
  return dense;
}

template <class Element>
Matrix<Element> view(Element* data, std::size_t rows, std::size_t dim, std::ptrdiff_t unused) {
  return {data, unused, rows == 1 ? unused : static_cast<std::ptrdiff_t>(dim)};
}

TEST(UnusedStrides, OfAttention) {
  Random random(5);
  const std::vector<float> numbers = random.normals(40 * 150);
  for (const std::uint32_t queries : {1U, 7U, 40U}) {
    for (const std::uint32_t keys : {1U, 40U}) {
      for (const std::uint32_t dim : {16U, 35U, 150U}) {
        AttentionPlan plan;
        ASSERT_EQ(make_plan(AttentionConfig{.head_dim = dim}, plan), Status::ok);
        const AlignedMemory arena(plan.bytes);
        std::vector<float> first_output, first_scores;
        for (const std::ptrdiff_t unused : strides) {
          std::vector<float> output(std::size_t{queries} * dim), scores(std::size_t{queries} * keys);
          AttentionInputs inputs;
          inputs.query_count = queries;
          inputs.key_count = keys;
          inputs.query = view<const float>(numbers.data(), 1, 1, queries, dim, unused);
          inputs.key = view<const float>(numbers.data(), 1, 1, keys, dim, unused);
          inputs.value = inputs.key;
          AttentionOutputs outputs;
          outputs.output = view(output.data(), 1, 1, queries, dim, unused);
          outputs.scores = view(scores.data(), 1, 1, queries, keys, unused);
          ASSERT_EQ(attend(plan, arena.span(), inputs, outputs), Status::ok);
          if (unused == 0) first_output = output, first_scores = scores;
          EXPECT_EQ(output, first_output) << unused;
          EXPECT_EQ(scores, first_scores) << unused;
        }
      }
    }
  }
}

TEST(UnusedStrides, OfCaches) {
  const std::vector<float> numbers = Random(6).normals(16);
  for (const std::ptrdiff_t unused : strides) {
    const ConstTensor row = view<const float>(numbers.data(), 1, 1, 1, 16, unused);
    for (const DataType key : {DataType::float32, DataType::int8, DataType::int8_channels}) {
      BuiltCache built({.head_dim = 16, .max_keys = 4, .key_type = key});
      KvCache& cache = built.cache;
      if (key == DataType::int8_channels) {
        ASSERT_EQ(cache.set_key_scales(std::vector<float>(16, 1.0F)), Status::ok);
      }
      EXPECT_EQ(cache.append(0, 1, row, row), Status::ok);
      RotaryPlan rotary;
      ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 16}, rotary), Status::ok);
      EXPECT_EQ(append_rotated(cache, 0, 1, row, row, {rotary, nullptr}, nullptr), Status::ok);
      const auto* values = reinterpret_cast<const float*>(cache.memory() + built.plan.values.offset);
      EXPECT_EQ(values[16], numbers[0]);
    }
  }
}

/// One token, and many tokens of which the scores of one query are wanted.
TEST(UnusedStrides, OfALayer) {
  Random random(7);
  const MultiHeadConfig config{.model_dim = 300, .heads = 1, .head_dim = 20, .max_keys = 100};
  const LayerWeights weights(random, completed(config), true);
  const std::vector<float> x = random.normals(100 * 300);
  for (const std::uint32_t tokens : {1U, 100U}) {
    std::vector<float> first_y, first_scores;
    for (const std::ptrdiff_t unused : strides) {
      Layer layer(config, weights.view());
      std::vector<float> y(std::size_t{tokens} * 300), scores(tokens), contexts(std::size_t{tokens} * 20);
      MultiHeadInputs inputs;
      inputs.tokens = tokens;
      inputs.input = view<const float>(x.data(), tokens, 300, unused);
      MultiHeadOutputs outputs;
      outputs.output = view(y.data(), tokens, 300, unused);
      outputs.head_outputs = view(contexts.data(), 1, 1, tokens, 20, unused);
      outputs.scores = view(scores.data(), 1, 1, 1, tokens, unused);
      MultiHeadOptions options;
      options.attention.score_selection = {.first_query = tokens - 1, .query_count = 1};
      ASSERT_EQ(layer.layer.prefill(inputs, options, outputs), Status::ok);
      if (unused == 0) first_y = y, first_scores = scores;
      EXPECT_EQ(y, first_y) << unused;
      EXPECT_EQ(scores, first_scores) << unused;
      outputs.scores = {};
      inputs.causal = Causal::bottom_right;
      ASSERT_EQ(layer.layer.encode(inputs, outputs), Status::ok);
      EXPECT_EQ(y, first_y) << unused;
    }
  }
}

}  // namespace
}  // namespace heed::test
