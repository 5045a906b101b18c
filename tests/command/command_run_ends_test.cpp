// SPDX-License-Identifier: MIT
//
// `heed run`, `heed inspect` and `heed plan` of models with types of tokens, padding, convolutions, registers and
// poolers, from outside.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "command/plan_nodes.hpp"
#include "command/run_models.hpp"
#include "transformer/random_ends.hpp"

namespace heed::test {
namespace {

constexpr ModelConfig typed_bert{
    .block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .norm_placement = NormPlacement::after},
    .blocks = 2,
    .input_dim = 19,
    .max_positions = 16,
    .pooling = Pooling::every,
    .encoder = true,
    .embedding_norm = true,
    .without_final_norm = true,
    .token_types = 3};

class HeedRunEnds : public HeedRun {
 protected:
  /// A random model, as a file of this name and in memory.
  AlignedMemory write_extended(const std::string& name, const ModelConfig& asked) const {
    TinyModel model(asked, true);
    const RandomEnds more(3, model.config, model.ends);
    write_model(name, model);
    return model.file();
  }

  /// Rows of one entry, the rest of `count` rows zeros.
  static void encode(AlignedMemory& file, std::vector<std::uint32_t> tokens, std::vector<std::uint32_t> types,
                     std::size_t count, std::vector<float>& to) {
    BuiltModel built(file.span(), {.rows = 5, .max_keys = 5});
    const std::size_t first = to.size();
    to.resize(first + count * 12);
    ASSERT_EQ(built.model.encode(tokens, types, to.data() + first), Status::ok);
  }
};

TEST_F(HeedRunEnds, TokensHaveTypesAndEndWherePaddingBegins) {
  AlignedMemory file = write_extended("m.heed", typed_bert);
  write_npy("x.npy", {2, 4}, std::vector<std::int32_t>{3, 1, 4, 1, 5, 9, 0, 0});
  write_npy("t.npy", {2, 4}, std::vector<std::int64_t>{0, 0, 1, 2, 2, 1, 0, 0});
  write_npy("mask.npy", {2, 4}, std::vector<std::int64_t>{1, 1, 1, 1, 1, 1, 0, 0});
  std::vector<float> expected;
  encode(file, {3, 1, 4, 1}, {0, 0, 1, 2}, 4, expected);
  encode(file, {5, 9}, {2, 1}, 4, expected);
  expect_success("run m.heed --input x.npy --token-types t.npy --mask mask.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 4, 12}), expected);

  expected.clear();
  encode(file, {3, 1, 4, 1}, {0, 0, 0, 0}, 4, expected);
  encode(file, {5, 9, 0, 0}, {0, 0, 0, 0}, 4, expected);
  expect_success("run m.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 4, 12}), expected);

  ModelConfig sentences = typed_bert;
  sentences.pooling = Pooling::mean;
  sentences.unit_output = true;
  file = write_extended("s.heed", sentences);
  expected.clear();
  encode(file, {3, 1, 4, 1}, {0, 0, 0, 0}, 1, expected);
  encode(file, {5, 9}, {0, 0}, 1, expected);
  expect_success("run s.heed --input x.npy --mask mask.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {2, 12}), expected);
}

TEST_F(HeedRunEnds, RefusesTypesAndMasks) {
  static_cast<void>(write_extended("m.heed", typed_bert));
  write_model("plain.heed", TinyModel(tiny_bert, true));
  write_model("llama.heed", TinyModel(tiny_llama, false));
  const auto write = [&](const char* name, const Shape& shape, const std::vector<std::int32_t>& values) {
    write_npy(name, shape, values);
  };
  write("x.npy", {2, 3}, {3, 1, 4, 1, 5, 9});
  write("short.npy", {6}, {0, 0, 0, 0, 0, 0});
  write("type3.npy", {2, 3}, {0, 0, 0, 0, 3, 0});
  write("below.npy", {2, 3}, {0, -1, 0, 0, 0, 0});
  write("ones.npy", {2, 3}, {1, 1, 1, 1, 1, 1});
  write("hole.npy", {2, 3}, {1, 1, 1, 1, 0, 1});
  write("empty.npy", {2, 3}, {1, 1, 0, 0, 0, 0});
  write("two.npy", {2, 3}, {1, 1, 0, 1, 2, 0});
  const auto refuse = [&](const std::string& arguments, const std::vector<std::string>& parts) {
    expect_failure("run " + arguments + " --input x.npy --output out.npy", parts);
  };
  refuse("plain.heed --token-types ones.npy", {"--token-types means nothing", "no types"});
  refuse("m.heed --token-types none.npy", {"--token-types: cannot read none.npy"});
  refuse("m.heed --token-types short.npy", {"--token-types short.npy [6]", "[2, 3] is needed"});
  refuse("m.heed --token-types type3.npy", {"type3.npy", "number 4 is 3", "3 types"});
  refuse("m.heed --token-types below.npy", {"below.npy", "number 1 is -1"});
  refuse("llama.heed --mask ones.npy", {"--mask means nothing", "no encoder of tokens"});
  refuse("m.heed --mask short.npy", {"--mask short.npy", "[2, 3] is needed"});
  refuse("m.heed --mask two.npy", {"two.npy", "number 4 is 2", "0 and 1"});
  refuse("m.heed --mask hole.npy", {"hole.npy: entry 1 has a 1 after a 0", "at the end"});
  refuse("m.heed --mask empty.npy", {"empty.npy: entry 1 begins with 0"});
}

TEST_F(HeedRunEnds, ConvolutionsHalveTheFrames) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::convolutions;
  config.registers = 2;
  config.max_positions = 9;
  config.pooler = Pooler::relu;
  config.pooling = Pooling::mean_of_rest;
  AlignedMemory file = write_extended("m.heed", config);
  BuiltModel built(file.span(), {.rows = 6, .max_keys = 6});
  const std::vector<float> frames = random_.normals(5 * 6);
  std::vector<float> expected(7);
  ASSERT_EQ(built.model.encode(dense(frames.data(), 5, 6), 5, expected.data()), Status::ok);
  write_npy("x.npy", {5, 6}, frames);
  expect_success("run m.heed --input x.npy --output y.npy");
  EXPECT_EQ(read_npy("y.npy", {7}), expected);
}

/// [out, 3, in] as [out, in, 3].
std::vector<float> stored_taps(const float* weight, std::size_t outputs, std::size_t inputs) {
  std::vector<float> stored(outputs * inputs * 3);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    stored[i] = weight[(i / 3 / inputs * 3 + i % 3) * inputs + i / 3 % inputs];
  }
  return stored;
}

TEST_F(HeedRunEnds, PacksConvolutionsAsTheyAreStored) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::convolutions;
  config.class_token = false;
  config.blocks = 1;
  config.pooler = Pooler::tanh;
  TinyModel model(config, true);
  const RandomEnds more(1, model.config, model.ends);
  StoredModel to(model);
  to.add("conv1.weight", stored_taps(model.ends.input, 12, 6).data(), {12, 6, 3});
  to.add("conv1.bias", model.ends.input_bias, {12});
  to.add("conv2.weight", stored_taps(model.ends.second_input, 12, 12).data(), {12, 12, 3});
  to.add("conv2.bias", model.ends.second_input_bias, {12});
  to.add("positions", model.ends.positions, {5, 12});
  to.add_norm("norm", model.ends.final_norm);
  to.add("pooler.weight", model.ends.pooler, {12, 12});
  to.add("pooler.bias", model.ends.pooler_bias, {12});
  to.add_head("head");
  to.add_norm("0.norm", model.blocks[0].attention_norm);
  to.add_separate(model.blocks[0].attention, {"0.q", "0.k", "0.v", "0.o"}, 12);
  to.add_norm("0.norm2", model.blocks[0].mlp_norm);
  to.add_mlp(model.blocks[0], "0.up", "0.down");
  json names;
  for (const auto& [role, name] : std::map<std::string, std::string>{{"input", "conv1"},
                                                                     {"second_input", "conv2"},
                                                                     {"pooler", "pooler"},
                                                                     {"head", "head"},
                                                                     {"final_norm", "norm"},
                                                                     {"attention_norm", "{}.norm"},
                                                                     {"mlp_norm", "{}.norm2"},
                                                                     {"query", "{}.q"},
                                                                     {"key", "{}.k"},
                                                                     {"value", "{}.v"},
                                                                     {"output", "{}.o"},
                                                                     {"up", "{}.up"},
                                                                     {"down", "{}.down"}}) {
    names[role] = name + ".weight";
    names[role + "_bias"] = name + ".bias";
  }
  if (model.ends.second_input_bias == nullptr) names.erase("second_input_bias");
  if (model.ends.pooler_bias == nullptr) names.erase("pooler_bias");
  names["positions"] = "positions";
  json architecture = json::parse(R"({"family": "none", "block": {"model_dim": 12, "heads": 2, "mlp_dim": 20,
    "norm": "layer_norm", "norm_placement": "before", "activation": "gelu_erf", "gated": false}, "blocks": 1,
    "input_dim": 6, "max_positions": 5, "outputs": 7, "input": "convolutions", "positions": "learned",
    "pooling": "first", "class_token": false, "causal": false, "embedding_norm": false, "final_norm": true,
    "pooler": "tanh"})");
  architecture["tensors"] = names;
  write_bytes(path("m.json"), architecture.dump());
  write_safetensors(path("w.safetensors"), to.tensors);
  const Ended ended = run("pack --model m.json --weights w.safetensors --out m.heed");
  ASSERT_EQ(ended.code, 0) << ended.error;
  AlignedMemory file = packed_model(model.config, model.ends, model.blocks);
  const std::span<const std::byte> bytes = file.span();
  EXPECT_EQ(read_bytes(path("m.heed")), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));

  to.tensors[0].shape = {12, 18};
  write_safetensors(path("w.safetensors"), to.tensors);
  expect_failure("pack --model m.json --weights w.safetensors --out m.heed",
                 {"conv1.weight [12, 18]: [12, 6, 3] is needed for `input`"});
}

TEST_F(HeedRunEnds, EveryByteOfAFileAndOfAPlanHasAName) {
  for (int i = 0; i < 12; ++i) {
    ModelConfig config = i % 2 == 0 ? typed_bert : tiny_vit;
    config.max_positions = 40;
    extend_ends(random_, config);
    static_cast<void>(write_extended("m.heed", config));
    const json report = parsed("inspect m.heed --json");
    EXPECT_EQ(report.at("config").value("registers", 0U), config.registers);
    EXPECT_EQ(report.at("config").value("unit_output", false), config.unit_output);
    std::uint64_t bytes =
        (detail::is_extended(config) ? 384 : 192) + 2 * 64;  // the headers of the file and of two attentions
    for (const json& part : report.at("parts")) bytes += part.at("bytes").get<std::uint64_t>();
    EXPECT_EQ(bytes, std::filesystem::file_size(path("m.heed")));
    for (const json& node : parsed("plan m.heed --json").at("memories")) expect_nested(node);
  }
}

}  // namespace
}  // namespace heed::test
