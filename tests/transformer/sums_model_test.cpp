// SPDX-License-Identifier: MIT
//
// The project's own trained model, which adds (examples/sums): how many of the sums that it was never trained on are
// right, with every type of weights, and that the logits have the same bits on every port, however the text is split.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "heed/heed.hpp"
#include "heed/text.hpp"
#include "support/effort.hpp"
#include "support/hash.hpp"
#include "text/tokenizer_file.hpp"
#include "transformer/built_model.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t dim = 24;
constexpr std::uint32_t blocks = 2;

constexpr ModelConfig config{.block = {.model_dim = dim,
                                       .heads = 3,
                                       .mlp_dim = 64,
                                       .norm = Norm::layer_norm,
                                       .norm_placement = NormPlacement::before,
                                       .activation = Activation::gelu_erf},
                             .blocks = blocks,
                             .input_dim = 259,
                             .max_positions = 12,
                             .outputs = 259,
                             .positions = Positions::learned,
                             .tied_head = true};

struct Expected {
  DataType type;
  const char* name;
  std::uint32_t right;   ///< sums that the model was not trained on
  std::uint64_t logits;  ///< hash
};

/// It changes only when the model is trained anew.
constexpr Expected expected[] = {
    {DataType::float32, "float32", 1309, 0xCC70D3DB29CB6920U},
    {DataType::float16, "float16", 1309, 0xCC70D3DB29CB6920U},
    {DataType::bfloat16, "bfloat16", 1309, 0xF9636BC17B64E9D4U},
    {DataType::int8, "int8", 1309, 0x4F88AA327B20468EU},
    {DataType::int8_groups, "int8_groups", 1309, 0x4F36F37EB5FD9613U},
    {DataType::int4_groups, "int4_groups", 1297, 0x94DEFA0E4CAB81DFU},
};

std::string read_file(const std::string& name) {
  std::ifstream stream(HEED_SOURCE_DIR "/examples/sums/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A normal or subnormal number of IEEE binary16.
float half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                        : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

/// The tensors of a safetensors file of float16.
std::map<std::string, std::vector<float>> read_tensors(const std::string& file) {
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), sizeof header);
  const char* const data = file.data() + sizeof header + header;
  std::map<std::string, std::vector<float>> tensors;
  const nlohmann::json entries = nlohmann::json::parse(file.substr(sizeof header, header));
  for (const auto& [name, fields] : entries.items()) {
    const std::size_t begin = fields["data_offsets"][0];
    const std::size_t end = fields["data_offsets"][1];
    for (std::size_t at = begin; at < end; at += 2) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, data + at, sizeof bits);
      tensors[name].push_back(half(bits));
    }
  }
  return tensors;
}

AlignedMemory read_sums(DataType type) {
  const auto tensors = read_tensors(read_file("sums.safetensors"));
  const auto find = [&](const std::string& name) { return tensors.at(name).data(); };
  const ModelWeights ends{.input = find("embedding.weight"),
                          .positions = find("positions"),
                          .final_norm = {find("norm.weight"), find("norm.bias")}};
  std::vector<BlockWeights> weights(blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::string layer = "layers." + std::to_string(i) + ".";
    BlockWeights& block = weights[i];
    const float* const qkv = find(layer + "self_attn.in_proj_weight");
    const float* const qkv_bias = find(layer + "self_attn.in_proj_bias");
    block.attention = {.query = qkv,
                       .key = qkv + dim * dim,
                       .value = qkv + 2 * dim * dim,
                       .output = find(layer + "self_attn.out_proj.weight"),
                       .query_bias = qkv_bias,
                       .key_bias = qkv_bias + dim,
                       .value_bias = qkv_bias + 2 * dim,
                       .output_bias = find(layer + "self_attn.out_proj.bias")};
    block.attention_norm = {find(layer + "norm1.weight"), find(layer + "norm1.bias")};
    block.mlp_norm = {find(layer + "norm2.weight"), find(layer + "norm2.bias")};
    block.up = find(layer + "linear1.weight");
    block.up_bias = find(layer + "linear1.bias");
    block.down = find(layer + "linear2.weight");
    block.down_bias = find(layer + "linear2.bias");
  }
  ModelConfig typed = config;
  typed.block.weight_type = typed.input_type = typed.head_type = type;
  return packed_model(typed, ends, weights);
}

/// As train.py has it.
bool is_for_testing(std::uint32_t a, std::uint32_t b) {
  std::uint32_t mixed = (100 * std::min(a, b) + std::max(a, b)) * 0x9E3779B1U;
  mixed = (mixed ^ mixed >> 15) * 0x85EBCA77U;
  return mixed >> 29 == 0;
}

struct Sum {
  std::string question;
  std::string answer;
};

/// Every one that the model was not trained on.
std::vector<Sum> unseen_sums() {
  std::vector<Sum> sums;
  for (std::uint32_t a = 0; a < 100; ++a) {
    for (std::uint32_t b = 0; b < 100; ++b) {
      if (!is_for_testing(a, b)) continue;
      sums.push_back({std::to_string(a) + '+' + std::to_string(b) + '=', std::to_string(a + b)});
    }
  }
  return sums;
}

class SumsModel : public ::testing::Test {
 protected:
  SumsModel() : tokenizer_file_(read_file("sums_tokenizer.bin")), logits_(config.outputs) {
    EXPECT_EQ(words_.bind(std::as_bytes(std::span(tokenizer_file_))), Status::ok);
    EXPECT_EQ(words_.tokens(), config.input_dim);
  }

  /// What the model writes after the question, up to the token that ends a text.
  std::string answer(Model& model, const std::string& question) {
    EXPECT_EQ(model.truncate(0), Status::ok);
    EXPECT_EQ(model.prefill(encoded(words_, question), logits_.data()), Status::ok);
    std::string text;
    for (std::uint32_t previous = 0; model.tokens() < config.max_positions;) {
      const std::uint32_t token = argmax(logits_.data(), config.outputs);
      if (token == Tokenizer::end_token) break;
      const std::span<const char> piece = words_.decode(previous, token);
      text.append(piece.data(), piece.size());
      EXPECT_EQ(model.decode(token, logits_.data()), Status::ok);
      previous = token;
    }
    return text;
  }

  std::string tokenizer_file_;
  Tokenizer words_;
  std::vector<float> logits_;
};

TEST_F(SumsModel, AddsWhatItWasNotTrainedOn) {
  const std::vector<Sum> sums = unseen_sums();
  const std::uint32_t divisor = case_divisor();
  for (const Expected& weights : expected) {
    AlignedMemory file = read_sums(weights.type);
    BuiltModel built(file.span(), {.rows = 8, .max_keys = config.max_positions});
    std::uint32_t right = 0;
    std::uint32_t asked = 0;
    for (std::size_t i = 0; i < sums.size(); i += divisor) {
      right += answer(built.model, sums[i].question) == sums[i].answer ? 1 : 0;
      ++asked;
    }
    std::printf("| %s | %zu | %u of %u |\n", weights.name, file.span().size(), right, asked);
    EXPECT_GE(right + 1, asked * 0.97) << weights.name;
    if (divisor == 1) {
      EXPECT_EQ(right, weights.right) << weights.name;
    }
  }
}

TEST_F(SumsModel, GoldenHashOfLogitsForEverySplit) {
  for (const Expected& weights : expected) {
    AlignedMemory file = read_sums(weights.type);
    for (const std::uint32_t rows : {1U, 3U, 16U}) {
      BuiltModel at_once(file.span(), {.rows = rows, .max_keys = config.max_positions});
      BuiltModel one_by_one(file.span(), {.rows = rows, .max_keys = config.max_positions});
      Hash whole, split;
      for (const char* text : {"27+59=86", "8+64=72", "46+57=103", "58+99=157"}) {
        const std::vector<std::uint32_t> tokens = encoded(words_, text);
        ASSERT_EQ(at_once.model.truncate(0), Status::ok);
        ASSERT_EQ(at_once.model.prefill(tokens, logits_.data()), Status::ok);
        whole.add(logits_);
        ASSERT_EQ(one_by_one.model.truncate(0), Status::ok);
        for (const std::uint32_t token : tokens) ASSERT_EQ(one_by_one.model.decode(token, logits_.data()), Status::ok);
        split.add(logits_);
      }
      EXPECT_EQ(whole.value(), weights.logits) << weights.name << ' ' << rows << std::hex << ' ' << whole.value();
      EXPECT_EQ(split.value(), weights.logits) << weights.name << ' ' << rows << std::hex << ' ' << split.value();
    }
  }
}

}  // namespace
}  // namespace heed::test
