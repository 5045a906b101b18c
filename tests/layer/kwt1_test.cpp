// SPDX-License-Identifier: MIT
//
// The twelve attention layers of a trained keyword transformer (KWT-1, Google Speech Commands), from the golden inputs:
// queries, keys, values, log-sum-exp, context and layer output against goldens computed in double precision. The data
// is not part of the project: the directory comes from the environment variable HEED_KWT1, or from ../shared/kwt1.
#include "layer/kwt1.hpp"

#include <gtest/gtest.h>

#include "layer/layer_case.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t tokens = 99;
constexpr std::uint32_t dim = 64;
constexpr std::uint32_t blocks = 12;
constexpr double tolerance = 1e-5;

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double worst = a.size() == b.size() ? 0.0 : 1e9;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) worst = std::max(worst, std::abs(double{a[i]} - b[i]));
  return worst;
}

/// x W^T through the library: as the values of a layer, read back from its cache.
std::vector<float> project(const std::vector<float>& x, const std::vector<float>& weight) {
  const MultiHeadConfig config{.model_dim = dim, .heads = 1, .max_keys = tokens};
  Layer layer(config, {weight.data(), weight.data(), weight.data(), weight.data()});
  EXPECT_EQ(layer.layer.append(1, nullptr, tokens, dense<const float>(x.data(), tokens, dim)), Status::ok);
  static_assert(dim % panel_width == 0);  // so that rows have no padding
  const std::byte* const values = layer.layer.cache().memory() + layer.plan.cache.values.offset;
  std::vector<float> y(std::size_t{tokens} * dim);
  std::memcpy(y.data(), values, y.size() * sizeof(float));
  return y;
}

TEST(Kwt1, EveryLayerReproducesItsGoldens) {
  const std::filesystem::path directory = data_directory();
  if (!std::filesystem::exists(directory / "kwt1.safetensors")) {
    GTEST_SKIP() << "no KWT-1 data in " << directory << "; set HEED_KWT1 to its directory";
  }
  Tensors weights(directory / "kwt1.safetensors");
  Tensors goldens(directory / "goldens_right.safetensors");
  std::printf("largest difference   query      key    value  log-sum  context   output\n");
  for (std::uint32_t block = 0; block < blocks; ++block) {
    const std::string name = "blocks." + std::to_string(block) + ".";
    const std::string attention = name + "attention.";
    const std::vector<float> x = goldens[name + "input"];
    const std::vector<float> query = weights[attention + "query.weight"];
    const std::vector<float> key = weights[attention + "key.weight"];
    const std::vector<float> value = weights[attention + "value.weight"];
    const std::vector<float> output = weights[attention + "output.weight"];
    const std::vector<float> bias = weights[attention + "output.bias"];
    Layer layer({.model_dim = dim, .heads = 1, .max_keys = tokens},
                {query.data(), key.data(), value.data(), output.data(), nullptr, nullptr, nullptr, bias.data()});
    std::vector<float> y(x.size()), context(x.size()), log_sum_exp(tokens);
    MultiHeadInputs in;
    in.tokens = tokens;
    in.input = dense<const float>(x.data(), tokens, dim);
    in.scale = 0.125F;
    MultiHeadOutputs out;
    out.output = dense(y.data(), tokens, dim);
    out.head_outputs = bhsd(context.data(), 1, tokens, dim);
    out.log_sum_exp = log_sum_exp.data();
    ASSERT_EQ(layer.layer.encode(in, out), Status::ok);

    const double differences[] = {largest_difference(project(x, query), goldens[attention + "q"]),
                                  largest_difference(project(x, key), goldens[attention + "k"]),
                                  largest_difference(project(x, value), goldens[attention + "v"]),
                                  largest_difference(log_sum_exp, goldens[attention + "lse"]),
                                  largest_difference(context, goldens[attention + "context"]),
                                  largest_difference(y, goldens[attention + "output"])};
    std::printf("block %2u          ", block);
    for (const double difference : differences) {
      std::printf(" %8.1e", difference);
      EXPECT_LE(difference, tolerance) << "block " << block;
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace heed::test
