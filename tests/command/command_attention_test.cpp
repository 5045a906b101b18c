// SPDX-License-Identifier: MIT
//
// Attention weights of whole models from outside: `--attention` and `--attention-values` of `heed run` and `heed
// generate`, against the twin in double precision, against the stages of the same run, and, of nano_sort
// (HEED_NANO_SORT, or ../shared/nano_sort; skipped without it), against PyTorch's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "command/run_models.hpp"
#include "support/effort.hpp"
#include "text/tokenizer_file.hpp"
#include "transformer/model_case.hpp"

namespace heed::test {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

class HeedAttention : public HeedRun {
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

  static std::string picture_of(const std::string& bytes) {
    // Every `<` opens what the next `>` closes, and groups are closed.
    for (std::size_t begin = bytes.find('<'); begin != std::string::npos; begin = bytes.find('<', begin + 1)) {
      const std::size_t end = bytes.find_first_of("<>", begin + 1);
      if (end == std::string::npos || bytes[end] != '>') ADD_FAILURE() << bytes.substr(begin, 80);
    }
    EXPECT_EQ(count_of(bytes, "<g "), count_of(bytes, "</g>"));
    return bytes;
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

TEST_F(HeedAttention, WritesTheWeightsThatTheTwinHas) {
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

TEST_F(HeedAttention, TakesProductsInIntegers) {
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
    expect_failure("run m.heed --input x.npy --kv-type int8_integer " + std::string(option) + " a.svg",
                   {option, "int8_integer", "integers"});
  }
}

TEST_F(HeedAttention, DrawsBlocksAndHeads) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  write_npy("x.npy", {4}, std::vector<std::int32_t>{3, 1, 18, 1});
  expect_success("run m.heed --input x.npy --attention a.svg --output a.npy");
  expect_success("run m.heed --input x.npy --output b.npy");
  EXPECT_EQ(read_bytes(path("a.npy")), read_bytes(path("b.npy")));
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_NE(picture.find(">Attention weights of m.heed</text>"), std::string::npos);
  EXPECT_NE(picture.find(">Self-attention, block 1</text>"), std::string::npos);
  EXPECT_EQ(count_of(picture, ">head 1</text>"), 2U);
  EXPECT_NE(picture.find("Heads of keys and values: 1, each shared by 2 heads"), std::string::npos);
  // Four maps have the keys of all tokens, the first of a block the queries, too.
  EXPECT_EQ(count_of(picture, "class=\"key\">#18</text>"), 4U);
  EXPECT_EQ(count_of(picture, "class=\"query\">#18</text>"), 2U);
  // What is hidden of four tokens, and the first one's weight, which is 1.
  EXPECT_EQ(count_of(picture, "<path fill=\"#e1e4e8\" d=\"M1 0h3v1h-3zM2 1h2v1h-2zM3 2h1v1h-1z\"/>"), 4U);
  EXPECT_EQ(count_of(picture, "<path fill=\"#08306b\" d=\"M0 0h1v1h-1z"), 4U);
  EXPECT_EQ(count_of(picture, ">1.000</text>"), 2U);

  ModelConfig cross = tiny_llama;
  cross.block.cross_dim = 9;
  write_model("cross.heed", TinyModel(cross, false));
  write_npy("c.npy", {3, 9}, random_.normals(27));
  expect_success("run cross.heed --input x.npy --context c.npy --attention c.svg");
  const std::string both = picture_of(read_bytes(path("c.svg")));
  EXPECT_NE(both.find(">Cross-attention, block 1</text>"), std::string::npos);
  EXPECT_EQ(count_of(both, "class=\"key\">2</text>"), 4U);

  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  expect_success("run vit.heed --input frames.npy --attention v.svg");
  const std::string encoder = picture_of(read_bytes(path("v.svg")));
  EXPECT_EQ(count_of(encoder, "class=\"query\">class</text>"), 2U);
  EXPECT_EQ(count_of(encoder, "class=\"key\">3</text>"), 4U);
  EXPECT_EQ(encoder.find("#e1e4e8"), std::string::npos);
}

TEST_F(HeedAttention, SaysWhatAPictureHasNoRoomFor) {
  ModelConfig config = tiny_llama;
  config.max_positions = 600;
  write_model("m.heed", TinyModel(config, false));
  write_npy("x.npy", {520}, std::vector<std::int32_t>(520, 7));
  expect_success("run m.heed --input x.npy --attention a.svg");
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_NE(picture.find("Only the first 512 of 520 queries and the first 512 of 520 keys are shown."),
            std::string::npos);
  EXPECT_EQ(count_of(picture, "class=\"query\""), 2U * 512);
}

TEST_F(HeedAttention, Refuses) {
  write_model("m.heed", TinyModel(tiny_llama, false));
  write_model("vit.heed", TinyModel(tiny_vit, true));
  write_npy("x.npy", {4}, std::vector<std::int32_t>{3, 1, 18, 1});
  write_npy("two.npy", {2, 4}, std::vector<std::int32_t>(8, 2));
  write_npy("frames.npy", {4, 6}, random_.normals(24));
  write_bytes(path("t.bin"), tokenizer_file(std::vector<std::string_view>{" ", "a"}));
  expect_failure("run m.heed --input two.npy --attention a.svg", {"--attention: one entry is needed", "has 2"});
  expect_failure("run m.heed --input two.npy --attention-values a.st", {"--attention-values: one entry is needed"});
  expect_failure("run m.heed --input x.npy --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run m.heed --input x.npy --attention-values a.st --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run vit.heed --input frames.npy --attention a.svg --tokenizer t.bin", {"--tokenizer means nothing"});
  expect_failure("run m.heed --input x.npy --attention a.svg --tokenizer none", {"--tokenizer: ", "none"});
}

TEST_F(HeedAttention, RefusesMoreThanAGibibyte) {
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

TEST_F(HeedAttention, GeneratesWithTheTextOfTokens) {
  write_bytes(path("t.bin"), tokenizer_file(std::vector<std::string_view>{" ", "a", "&", "\n"}));
  ModelConfig config = tiny_llama;
  config.input_dim = config.outputs = 264;  // tokens of that file
  write_model("m.heed", TinyModel(config, false));
  const std::string generate = "generate m.heed --tokenizer t.bin --tokens 4 --seed 3 --ignore-end --prompt 'a& a' ";
  EXPECT_EQ(run(generate + "--ids ids.npy --attention a.svg --attention-values a.st").code, 0);
  const std::string picture = picture_of(read_bytes(path("a.svg")));
  EXPECT_EQ(count_of(picture, "class=\"query\">&amp;</text>"), 2U);
  EXPECT_EQ(count_of(picture, "class=\"key\">␣</text>") % 4, 0U);
  EXPECT_GE(count_of(picture, "class=\"key\">␣</text>"), 4U);
  EXPECT_EQ(count_of(picture, "class=\"query\">#1</text>"), 2U);  // what begins the text has none

  // The tokens that it made but the last, in one pass.
  expect_success("run m.heed --input ids.npy --attention b.svg --attention-values b.st --tokenizer t.bin");
  Shape made, given;
  const std::vector<float> in_steps = read_safetensors(path("a.st"), "1.attention", made);
  const std::vector<float> at_once = read_safetensors(path("b.st"), "1.attention", given);
  ASSERT_EQ(made[1] + 1, given[1]);
  for (std::size_t head = 0; head < made[0]; ++head) {
    for (std::size_t row = 0; row < made[1]; ++row) {
      for (std::size_t key = 0; key < made[2]; ++key) {
        EXPECT_EQ(in_steps[(head * made[1] + row) * made[2] + key], at_once[(head * given[1] + row) * given[2] + key]);
      }
    }
  }
}

TEST_F(HeedAttention, NanoSortHasPyTorchsWeights) {
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
