// SPDX-License-Identifier: MIT
//
// Attention weights of whole models from outside, as numbers: `--attention-values` of `heed run` against the twin in
// double precision, against the stages of the same run, and, of nano_sort (HEED_NANO_SORT, or ../shared/nano_sort;
// skipped without it), against PyTorch's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "command/run_models.hpp"
#include "support/effort.hpp"
#include "transformer/model_case.hpp"

namespace heed::test {
namespace {

class HeedAttentionValues : public HeedRun {
 protected:
  /// Every tensor of a file by its name without the number of a stage; what has the same name is joined.
  [[nodiscard]] std::map<std::string, Numbers> tensors(const std::string& name) const {
    const std::string bytes = read_bytes(path(name));
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    std::map<std::string, Numbers> all;
    const json header = json::parse(bytes.substr(sizeof length, length));
    for (const auto& [tensor, entry] : header.items()) {
      Shape shape;
      const std::vector<float> values = read_safetensors(path(name), tensor, shape);
      Numbers& joined = all[tensor.size() > 9 && tensor[8] == '.' ? tensor.substr(9) : tensor];
      joined.insert(joined.end(), values.begin(), values.end());
    }
    return all;
  }

  /// Files of the inputs of a case, and the command that runs it.
  [[nodiscard]] std::string command_of(const ModelCase& c) const {
    const std::span<const std::byte> bytes = c.file.span();
    write_bytes(path("m.heed"), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    if (c.config.input == ModelInput::tokens) {
      write_npy("x.npy", {c.count}, std::vector<std::int32_t>(c.tokens.begin(), c.tokens.end()));
    } else {
      write_npy("x.npy", {c.count, c.config.input_dim}, c.frames);
    }
    if (c.config.block.cross_dim == 0) return "run m.heed --input x.npy ";
    write_npy("c.npy", {c.context_rows, c.config.block.cross_dim}, c.context);
    return "run m.heed --input x.npy --context c.npy ";
  }
};

/// What a case's weights [heads, rows, keys] and stages say of one attention.
struct SeenAttention {
  const ModelCase& c;
  std::uint32_t block;
  bool cross;
  const Numbers& weights;
  const Numbers& added;  ///< the stage's values
  const Numbers& rows;   ///< that went into the branch
  double tolerance;

  [[nodiscard]] const MultiHeadWeights& layer() const {
    return cross ? c.dequantized.blocks[block].cross : c.dequantized.blocks[block].attention;
  }

  void check() const {
    const ModelConfig& config = c.config;
    const BlockConfig& b = config.block;
    const BlockWeights& w = c.dequantized.blocks[block];
    const NormWeights& norm = cross ? w.cross_norm : w.attention_norm;
    const Numbers read = b.norm_placement == NormPlacement::after ? rows : reference_norm(b, norm, rows);
    const Numbers context(c.context.begin(), c.context.end());
    const Numbers& memory = cross ? context : read;
    const std::size_t memory_dim = cross ? b.cross_dim : b.model_dim;
    const Numbers twin = reference_weights(config, layer(), read, memory, memory_dim, cross ? nullptr : &w,
                                           {block, c.dequantized.ends.relative_bias});
    ASSERT_EQ(weights.size(), twin.size());
    double apart = 0.0;
    for (std::size_t i = 0; i < twin.size(); ++i) {
      apart = std::max(apart, std::abs(weights[i] - twin[i]));
      // A weight of 1e-30 is far from what a float holds no longer.
      EXPECT_TRUE(twin[i] != 0.0 || weights[i] == 0.0) << i;
      EXPECT_TRUE(twin[i] < 1e-30 || weights[i] > 0.0) << i;
    }
    EXPECT_LE(apart, tolerance);
    const std::size_t keys = memory.size() / memory_dim;
    for (std::size_t row = 0; row < weights.size(); row += keys) {
      double sum = 0.0;
      for (std::size_t k = 0; k < keys; ++k) sum += weights[row + k];
      EXPECT_NEAR(sum, 1.0, 1e-6);
    }
    Numbers given = reference_weighted(b, layer(), weights, memory, memory_dim);
    if (!cross && b.norm_placement == NormPlacement::both) given = reference_norm(b, w.attention_output_norm, given);
    ASSERT_EQ(given.size(), added.size());
    double most = 1.0;
    for (const double number : added) most = std::max(most, std::abs(number));
    for (std::size_t i = 0; i < given.size(); ++i) EXPECT_NEAR(given[i], added[i], 10 * tolerance * most) << i;
  }
};

void check_case(const ModelCase& c, const std::map<std::string, Numbers>& stages,
                const std::map<std::string, Numbers>& weights, double tolerance) {
  const BlockConfig& b = c.config.block;
  EXPECT_EQ(weights.size(), std::size_t{c.config.blocks} * (b.cross_dim != 0 ? 2 : 1));
  for (std::uint32_t block = 0; block < c.config.blocks; ++block) {
    SCOPED_TRACE("block " + std::to_string(block));
    const std::string name = std::to_string(block);
    const Numbers& rows = stages.at(block == 0 ? "0.embedding" : std::to_string(block - 1) + ".block");
    const Numbers& added = stages.at(name + ".attention");
    SeenAttention{c, block, false, weights.at(name + ".attention"), added, rows, tolerance}.check();
    if (b.cross_dim == 0) continue;
    Numbers between = rows;
    for (std::size_t i = 0; i < between.size(); ++i) between[i] += added[i];
    if (b.norm_placement == NormPlacement::after) {
      between = reference_norm(b, c.dequantized.blocks[block].attention_norm, between);
    }
    SeenAttention{c,       block,    true, weights.at(name + ".cross-attention"), stages.at(name + ".cross-attention"),
                  between, tolerance}
        .check();
  }
}

TEST_F(HeedAttentionValues, WritesTheWeightsThatTheTwinHas) {
  const std::uint32_t divisor = case_divisor();
  std::map<std::string, int> met;
  for (std::uint32_t i = 0; i < 120; i += divisor) {
    SCOPED_TRACE(i);
    Random random(i + 1);
    const bool causal = i % 2 == 0;
    const ModelCase c(random, i % 3 == 0 ? random_config(random, causal) : random_extended_blocks(random, causal));
    const std::string command = command_of(c);
    const bool rounded = i % 5 == 4;
    const std::string more = rounded ? "--kv-type int8 " : "";
    expect_success(command + more + "--attention-values a.st --stage-values s.st");
    check_case(c, tensors("s.st"), tensors("a.st"), rounded ? 0.05 : 2e-5);
    const std::string rows = causal ? "--rows " + std::to_string(random.between(1, 4)) : "";
    expect_success(command + more + rows + " --workers 3 --scratch-budget 999 --attention-values b.st");
    EXPECT_EQ(read_bytes(path("a.st")), read_bytes(path("b.st")));
    met["window"] += c.config.window != 0;
    met["relative"] += c.config.relative_buckets != 0;
    met["cross"] += c.config.block.cross_dim != 0;
    met["qk_norm"] += c.config.block.qk_norm != QkNorm::none;
    met["local"] += c.config.local_rotary_base != 0.0F;
    met["both"] += c.config.block.norm_placement == NormPlacement::both;
    met["parallel"] += c.config.block.norm_placement == NormPlacement::parallel;
  }
  for (const auto& [name, count] : met) EXPECT_TRUE(count >= 2 || divisor != 1) << name;
}

TEST_F(HeedAttentionValues, TakesProductsInIntegers) {
  ModelConfig config = tiny_llama;
  config.block.weight_type = DataType::int8;
  config.block.row_type = config.block.output_row_type = DataType::int16;
  config.block.mlp_row_type = config.block.down_row_type = DataType::int8;
  write_model("m.heed", TinyModel(config, false));
  write_npy("x.npy", {5}, std::vector<std::int32_t>{3, 1, 4, 1, 5});
  expect_success("run m.heed --input x.npy --attention-values a.st");
  expect_success("run m.heed --input x.npy --attention-values b.st --rows 2 --kv-type f32");
  EXPECT_EQ(read_bytes(path("a.st")), read_bytes(path("b.st")));
  for (const char* option : {"--attention", "--attention-values"}) {
    expect_failure("run m.heed --input x.npy --kv-type int8_integer " + std::string(option) + " a",
                   {option, "int8_integer", "integers"});
  }
}

TEST_F(HeedAttentionValues, RefusesMoreThanAGibibyte) {
  ModelConfig config = tiny_bert;
  config.block.model_dim = 8;
  config.block.heads = 8;
  config.blocks = 1;
  config.max_positions = 5800;
  write_model("m.heed", TinyModel(config, false));
  // 8 heads of 5793^2 weights are a little more than 2^28.
  write_npy("long.npy", {5793}, std::vector<std::int32_t>(5793, 7));
  expect_failure("run m.heed --input long.npy --attention-values a.st",
                 {"--attention-values: the weights exceed 1 GiB"});
}

TEST_F(HeedAttentionValues, NanoSortHasPyTorchsWeights) {
  const char* const variable = std::getenv("HEED_NANO_SORT");
  const std::filesystem::path folder = variable != nullptr ? variable : HEED_SOURCE_DIR "/../shared/nano_sort";
  if (!std::filesystem::exists(folder / "attSm.npy")) GTEST_SKIP() << folder;
  ASSERT_EQ(run("pack '" + folder.string() + "' --out m.heed").code, 0);
  const auto data_of = [](const std::string& bytes) {
    return bytes.substr(10U + static_cast<unsigned char>(bytes[8]) + 256U * static_cast<unsigned char>(bytes[9]));
  };
  const std::string ids = data_of(read_bytes(folder / "ids.npy"));
  const std::string weights = data_of(read_bytes(folder / "attSm.npy"));
  constexpr std::size_t length = 11, size = 3 * length * length;
  double most = 0.0;
  for (std::size_t entry = 0; entry < 3; ++entry) {
    std::vector<std::int64_t> tokens(length);
    std::memcpy(tokens.data(), ids.data() + entry * length * sizeof(std::int64_t), length * sizeof(std::int64_t));
    write_npy("x.npy", {length}, tokens);
    expect_success("run m.heed --input x.npy --attention-values a.st");
    std::vector<float> expected(size);
    std::memcpy(expected.data(), weights.data() + entry * size * sizeof(float), size * sizeof(float));
    Shape shape;
    const std::vector<float> got = read_safetensors(path("a.st"), "0.attention", shape);
    ASSERT_EQ(shape, (Shape{3, length, length}));
    for (std::size_t i = 0; i < size; ++i) {
      most = std::max(most, std::abs(double{got[i]} - double{expected[i]}));
      EXPECT_TRUE(expected[i] != 0.0F || got[i] == 0.0F) << i;
    }
  }
  std::printf("largest difference of a weight: %.1e\n", most);
  EXPECT_LE(most, 1e-6);
}

}  // namespace
}  // namespace heed::test
