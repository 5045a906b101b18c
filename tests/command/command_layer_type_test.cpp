// SPDX-License-Identifier: MIT
//
// `heed pack --weight-type` of a layer: its bytes against what the library packs, its header, and what `heed mha` and
// `heed inspect` make of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command/command_layer.hpp"
#include "command/programs.hpp"
#include "heed/heed.hpp"

namespace {

using namespace heed::test;
using enum heed::DataType;
using nlohmann::json;

struct Type {
  heed::DataType type;
  std::string word;
  const heed::Format* format;
};

class HeedLayerType : public HeedMha {
 protected:
  HeedLayerType() {
    w_.fill(random_, true);
    write_separate(w_, "w", "F32", [](float value) { return value; });
  }

  [[nodiscard]] static heed::MultiHeadPlan plan(heed::MultiHeadConfig config) {
    config.model_dim = 40;
    config.heads = 4;
    config.kv_heads = 2;
    config.head_dim = 10;
    config.value_dim = 6;
    config.output_dim = 11;
    heed::MultiHeadPlan made;
    EXPECT_EQ(make_plan(config, made), heed::Status::ok);
    return made;
  }

  /// What the library packs.
  [[nodiscard]] std::string expected(heed::DataType type) const {
    return w_.packed(plan({.max_keys = 1, .weight_type = type}));
  }

  /// What a layer computes from packed bytes.
  [[nodiscard]] static std::vector<float> run_packed(const Type& type, const std::string& bytes,
                                                     const std::vector<float>& x) {
    const heed::MultiHeadPlan made = plan({.max_keys = tokens, .weight_type = type.type});
    AlignedMemory packed(bytes.size());
    std::memcpy(packed.span().data(), bytes.data(), bytes.size());
    AlignedMemory arena(made.bytes);
    heed::MultiHeadAttention layer;
    EXPECT_EQ(layer.init(made, arena.span(), {packed.span(), type.format}), heed::Status::ok);
    std::vector<float> y(tokens * 11);
    const heed::MultiHeadInputs inputs{.tokens = tokens, .input = heed::dense(x.data(), tokens, 40)};
    EXPECT_EQ(layer.prefill(inputs, {.output = heed::dense(y.data(), tokens, 11)}), heed::Status::ok);
    return y;
  }

  Weights w_{4, 2, 10, 6, 40, 40, 11, {}, {}, {}, {}, {}, {}, {}, {}};
  const std::string pack_ = "pack --weights w --heads 4 " + separate_ + biases_;
  const std::vector<Type> types_{{float32, "float32", nullptr},
                                 {float16, "float16", &heed::float16_weights},
                                 {bfloat16, "bfloat16", &heed::bfloat16_weights},
                                 {int8, "int8", &heed::int8_weights},
                                 {int8_groups, "int8_groups", &heed::int8_group_weights},
                                 {int4_groups, "int4_groups", &heed::int4_group_weights}};
};

TEST_F(HeedLayerType, PacksWhatTheLibraryPacks) {
  const std::vector<float> x = random_.normals(tokens * 40);
  write_npy("x.npy", {tokens, 40}, x);
  for (const Type& type : types_) {
    SCOPED_TRACE(type.word);
    const Ended ended = run(pack_ + "--out out.bin --weight-type " + type.word);
    ASSERT_EQ(ended.code, 0) << ended.error;
    EXPECT_EQ(ended.out,
              "layer: model_dim 40, heads 4, kv_heads 2, head_dim 10, value_dim 6, kv_input_dim 40, output_dim 11, "
              "weight_type " +
                  type.word + "\n");
    const std::string bytes = read_bytes(path("out.bin"));
    EXPECT_EQ(bytes, expected(type.type));

    // The sizes are in the file.
    const Ended computed = run("mha --weights out.bin --input x.npy --out y.npy --causal top-left");
    EXPECT_EQ(computed.code, 0) << computed.error;
    EXPECT_EQ(computed.out, ended.out);
    EXPECT_EQ(read_npy("y.npy", {tokens, 11}), run_packed(type, bytes, x));

    const json report = json::parse(run("inspect out.bin --json").out);
    EXPECT_EQ(report.at("config").at("weight_type"), type.word);
    EXPECT_EQ(report.at("config").at("value_dim"), 6);
    EXPECT_EQ(report.at("totals").at("file"), bytes.size());
    EXPECT_EQ(report.at("totals").at("weights"), bytes.size() - 64);
    EXPECT_EQ(report.at("totals").at("parameters"), 40 * (40 + 20 + 12) + 24 * 11 + 40 + 20 + 12 + 11);
    ASSERT_EQ(report.at("parts").size(), 8U);
    EXPECT_EQ(report.at("parts").at(0).at("type"), type.word);
    EXPECT_EQ(report.at("parts").at(0).at("shape"), json({40, 40}));
    EXPECT_EQ(report.at("parts").at(1).at("type"), "float32");
  }
  const std::string table = run("inspect out.bin").out;
  EXPECT_EQ(table.rfind("layer\n  model_dim 40\n", 0), 0U) << table;
}

// Cross-attention, and keys from rows of their own, over packed weights as over trained ones.
TEST_F(HeedLayerType, RunsPackedWeightsInEveryWay) {
  expect_success(pack_ + "--out out.bin");
  write_npy("x.npy", {tokens, 40}, random_.normals(tokens * 40));
  write_npy("m.npy", {9, 40}, random_.normals(9 * 40));
  for (const std::string more : {"--kv-input m.npy", "--key m.npy --value m.npy", "--add-zero-attn"}) {
    expect_success("mha --weights out.bin --input x.npy --out a.npy " + more);
    expect_success("mha --weights w --heads 4 --input x.npy --out b.npy " + separate_ + biases_ + more);
    EXPECT_EQ(read_bytes(path("a.npy")), read_bytes(path("b.npy"))) << more;
  }
}

// What the header says is the plan of the weights, and with --max-keys that of the arena, in both languages.
TEST_F(HeedLayerType, WritesTheTypeIntoTheHeader) {
  write_bytes(path("expected.bin"), expected(int8_groups));
  const heed::MultiHeadPlan made = plan({.max_keys = 48,
                                         .max_sequences = 2,
                                         .weight_type = int8_groups,
                                         .key_type = int8_channels,
                                         .value_type = int4,
                                         .ring = 1,
                                         .sink_tokens = 5});
  expect_success(pack_ + "--out out.h --c-array l --weight-type int8_groups --max-keys 48 --max-sequences 2 " +
                 "--kv-type int8_channels:int4 --ring --sink-tokens 5");
  const std::string text = read_bytes(path("out.h"));
  EXPECT_NE(text.find(".weight_type = heed::DataType::int8_groups,"), std::string::npos) << text;
  expect_program(
      path("."),
      "#include \"out.h\"\n#include <stdio.h>\n#include <string.h>\n"
      "static unsigned char expected[sizeof l];\n"
      "#ifdef __cplusplus\n"
      "static_assert(heed::plan(l_config).weights_bytes == l_bytes);\n"
      "static_assert(heed::plan(l_config).bytes == l_arena_bytes);\n"
      "#endif\n"
      "int main(void) {\n"
      "  FILE* file = fopen(\"expected.bin\", \"rb\");\n"
      "  if (file == NULL || fread(expected, 1, sizeof l, file) != sizeof l || getc(file) != EOF) return 1;\n"
      "  fclose(file);\n"
      "  if (memcmp(expected, l, sizeof l) != 0 || l_arena_bytes != " +
          std::to_string(made.bytes) +
          ") return 2;\n"
          "  if ((int)l_config.weight_type != 4 || (int)l_config.key_type != 7 ||\n"
          "      (int)l_config.value_type != 6) return 3;\n"
          "  return l_config.ring == 1 && l_config.sink_tokens == 5 && l_config.max_pages == 0 ? 0 : 4;\n"
          "}\n");
  EXPECT_NE(
      big_endian_errors(path("."), "out.h")
          .find("l was packed for little-endian CPUs: on this one take weights of float32, or call pack_weights()"),
      std::string::npos);
}

TEST_F(HeedLayerType, RefusesWhatItCannotStore) {
  const std::string good = pack_ + "--out out.bin ";
  expect_failure(good + "--weight-type int4", {"--weight-type int4: one of float32", "int4_groups is needed"});
  expect_failure(good + "--kv-type int8", {"--kv-type means nothing without --c-array"});
  expect_failure(good + "--c-array l --ring", {"--ring means nothing without --max-keys"});
  expect_failure(good + "--c-array l --max-keys 8 --ring --sink-tokens 8", {"--sink-tokens 8: 0 to 7 are allowed"});
  expect_failure(good + "--c-array l --max-keys 8 --page-table 2", {"--max-keys 8: must be a multiple of 16"});
  w_.key[48] = 65520.0F;
  write_separate(w_, "w", "F32", [](float value) { return value; });
  expect_success(good + "--weight-type bfloat16");
  std::filesystem::remove(path("out.bin"));
  expect_failure(good + "--weight-type float16", {"tensor k.weight [20, 40], element [1, 8]: 65520", "for float16"});
}

TEST_F(HeedLayerType, RefusesWeightsThatAreNotPackedWhole) {
  write_npy("x.npy", {tokens, 40}, std::vector<float>(tokens * 40));
  const std::string bytes = expected(int8);
  const auto refuse = [&](const std::string& changed, const std::vector<std::string>& parts) {
    write_bytes(path("p.bin"), changed);
    expect_failure("mha --weights p.bin --input x.npy --out out.npy", parts);
    expect_failure("inspect p.bin", parts);
  };
  const auto with_word = [&](std::size_t index, std::uint32_t word) {
    std::string changed = bytes;
    std::memcpy(changed.data() + 4 * index, &word, sizeof word);
    return changed;
  };
  const std::string size = std::to_string(bytes.size());
  refuse(bytes.substr(0, 63), {"p.bin: not a layer's packed weights, or not all of them"});
  refuse(bytes.substr(0, bytes.size() - 64),
         {"the file has " + std::to_string(bytes.size() - 64) + " bytes, and its header says " + size});
  refuse(bytes + "x", {"the file has " + std::to_string(bytes.size() + 1) + " bytes", "says " + size});
  refuse(with_word(1, 2), {"p.bin: packed weights of version 2, and version 1 is needed"});
  refuse(with_word(3, 0), {"the header of the packed weights has heads 0"});
  refuse(with_word(4, 3), {"the header of the packed weights", "kv_heads 3: must divide heads"});
  refuse(with_word(9, 6), {"the header of the packed weights", "weight_type int4: is not a type of weights"});
  refuse(with_word(9, 99),
         {"the header of the packed weights", "weight_type 99: is not a type of weights; 0 to 10 are allowed"});
  refuse(with_word(12, 1), {"the header of the packed weights is damaged"});

  write_bytes(path("p.bin"), bytes);
  const std::string mha = "mha --weights p.bin --input x.npy --out out.npy ";
  expect_failure(mha + "--heads 2", {"--heads 2: --weights p.bin has 4"});
  expect_failure(mha + "--kv-heads 4", {"--kv-heads 4: --weights p.bin has 2"});
  expect_failure(mha + "--head-dim 6", {"--head-dim 6: --weights p.bin has 10"});
  expect_failure(mha + "--value-dim 10", {"--value-dim 10: --weights p.bin has 6"});
  expect_failure(mha + "--prefix a.", {"--weights p.bin: packed weights have no names of tensors"});
  expect_failure("mha --weights w --input x.npy --out out.npy " + separate_, {"--heads is required"});
  expect_failure("pack --weights p.bin --heads 4 --out out.bin", {"p.bin: this is what `heed pack` has written"});
}

}  // namespace
