// SPDX-License-Identifier: MIT
//
// `heed inspect` of model files, from outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "command/run_models.hpp"

namespace heed::test {
namespace {

class HeedInspect : public HeedRun {};

TEST_F(HeedInspect, InspectsWhatIsThere) {
  for (const bool biases : {true, false}) {
    const TinyModel model(tiny_vit, biases);
    write_model("m.heed", model);
    const json report = parsed("inspect m.heed --json");
    EXPECT_EQ(report.at("config").at("block").at("head_dim"), 6);
    EXPECT_EQ(report.at("config").at("pooling"), "first");
    // input 72 + class token 12 + positions 60; blocks 4 * 144 + 2 * 240 + norms 24; final norm 12; head 84.
    const std::uint64_t weights = 144 + 2 * (4 * 144 + 2 * 240 + 24) + 12 + 84;
    // input 12; blocks 48 + 20 + 12 + norms 24; final norm 12; head 7.
    const std::uint64_t all_biases = 12 + 2 * (48 + 20 + 12 + 24) + 12 + 7;
    EXPECT_EQ(report.at("totals").at("parameters"), weights + (biases ? all_biases : 0));
    EXPECT_EQ(report.at("totals").at("file"), std::filesystem::file_size(path("m.heed")));
    std::uint64_t bytes = 192 + 2 * 64;  // the headers of the file and of two attentions
    for (const json& part : report.at("parts")) {
      bytes += part.at("bytes").get<std::uint64_t>();
      const bool bias = part.at("name").get<std::string>().find("bias") != std::string::npos;
      EXPECT_EQ(part.at("type"), bias && !biases ? "zeros" : "float32") << part;
    }
    EXPECT_EQ(bytes, std::filesystem::file_size(path("m.heed")));
  }
  const Ended table = run("inspect m.heed");
  EXPECT_EQ(table.code, 0);
  for (const char* part : {"class_token true", "block 1 attention norm", "learned positions", "[5, 12]", "total"}) {
    EXPECT_NE(table.out.find(part), std::string::npos) << part;
  }
}

TEST_F(HeedInspect, RunsAndInspectsWeightsInFewBits) {
  write_npy("x.npy", {3}, std::vector<std::int32_t>{3, 1, 18});
  for (const auto& [type, name] : {std::pair{DataType::float16, "float16"}, {DataType::int4_groups, "int4_groups"}}) {
    ModelConfig config = tiny_llama;
    config.block.weight_type = type;
    config.head_type = type;
    const TinyModel model(config, true);
    write_model("m.heed", model);
    AlignedMemory file = model.file();
    BuiltModel built(file.span(), {.rows = 3, .max_keys = 3});
    std::vector<float> expected(19);
    const std::uint32_t tokens[] = {3, 1, 18};
    ASSERT_EQ(built.model.prefill(tokens, expected.data()), Status::ok);
    expect_success("run m.heed --input x.npy --output y.npy --workers 2");
    EXPECT_EQ(read_npy("y.npy", {19}), expected);
    const json report = parsed("inspect m.heed --json");
    std::uint64_t bytes = 192 + 2 * 64;  // the headers of the file and of two attentions
    for (const json& part : report.at("parts")) {
      bytes += part.at("bytes").get<std::uint64_t>();
      const bool matrix = part.at("shape").size() == 2 && part.at("where") != "embedding";
      EXPECT_EQ(part.at("type"), matrix ? name : "float32") << part;
    }
    EXPECT_EQ(bytes, std::filesystem::file_size(path("m.heed")));
  }
}

}  // namespace
}  // namespace heed::test
