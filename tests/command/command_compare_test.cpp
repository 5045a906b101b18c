// SPDX-License-Identifier: MIT
//
// `heed compare` of the stages of two runs, from outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <regex>
#include <string>
#include <vector>

#include "command/run_models.hpp"

namespace heed::test {
namespace {

class HeedCompare : public HeedRun {};

TEST_F(HeedCompare, LeavesHashesThatCompareFindsTheFirstDifferenceIn) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  write_npy("x.npy", {4}, std::vector<std::int32_t>{1, 2, 3, 4});
  expect_success("run m.heed --input x.npy --stages a.json");
  expect_success("run m.heed --input x.npy --stages b.json --workers 2");
  EXPECT_EQ(read_bytes(path("a.json")), read_bytes(path("b.json")));
  EXPECT_EQ(run("compare a.json b.json").out, "8 stages are the same\n");
  const json stages = json::parse(read_bytes(path("a.json"))).at("stages");
  ASSERT_EQ(stages.size(), 8U);
  EXPECT_EQ(stages[0].at("stage"), "embedding");
  EXPECT_EQ(stages[5].at("block"), 1);

  // A board's console.
  const auto console = [&](std::size_t changed) {
    std::string text = "booted\n";
    for (std::size_t i = 0; i < stages.size(); ++i) {
      std::string hash = stages[i].at("hash");
      if (i == changed) hash[7] = hash[7] == '0' ? '1' : '0';
      text += "stage " + std::to_string(stages[i].at("block").get<int>()) + " " +
              stages[i].at("stage").get<std::string>() + " " + hash + (i % 2 == 0 ? "\r\n" : "\nstages so far\n");
    }
    return text;
  };
  write_bytes(path("board.txt"), console(99));
  EXPECT_EQ(run("compare a.json board.txt").out, "8 stages are the same\n");
  write_bytes(path("board.txt"), console(5));
  expect_difference("compare a.json board.txt",
                    {"stage 5, pass 1: block 1, mlp is the first that differs", "board.txt"});
  write_bytes(path("board.txt"), "stage 0 embedding " + stages[0].at("hash").get<std::string>() + "\n");
  expect_failure("compare a.json board.txt", {"a.json has 8 stages, board.txt has 1"});
  write_bytes(path("board.txt"), "stage 0 mlp 0123456789abcdef\n");
  expect_failure("compare a.json board.txt", {"block 0, embedding where board.txt has block 0, mlp"});

  // A changed weight shows where it is first used.
  TinyModel other(tiny_llama, false);
  std::vector<float> up(other.blocks[1].up, other.blocks[1].up + 240);
  up[3] += 0.5F;
  other.blocks[1].up = up.data();
  write_model("other.heed", other);
  expect_success("run other.heed --input x.npy --stages c.json");
  expect_difference("compare a.json c.json", {"block 1, mlp is the first that differs"});
}

TEST_F(HeedCompare, TellsHowFarTwoRunsAreApart) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  write_npy("x.npy", {4}, std::vector<std::int32_t>{1, 2, 3, 4});
  write_npy("short.npy", {3}, std::vector<std::int32_t>{1, 2, 3});
  expect_success("run m.heed --input x.npy --stages a.json --stage-values a.st --output a.npy");
  expect_success("run m.heed --input x.npy --stage-values b.st --workers 2");
  expect_success("run m.heed --input short.npy --stage-values short.st");
  EXPECT_EQ(read_bytes(path("a.st")), read_bytes(path("b.st")));
  EXPECT_EQ(run("compare a.st b.st").out, "8 stages are the same\n");
  EXPECT_EQ(run("compare a.json b.st").out, "8 stages are the same\n");
  expect_failure("compare a.st short.st", {"stage 0, pass 1: block 0, embedding is [4, 12] in a.st", "[3, 12]"});
  expect_failure("compare a.st a.json --picture p.svg", {"--picture: a.json has hashes alone"});

  // The output is at the end of the file, as run writes it to a file of its own.
  const std::string values = read_bytes(path("a.st"));
  const std::string output = read_bytes(path("a.npy"));
  const std::size_t outputs = tiny_llama.outputs * sizeof(float);
  EXPECT_EQ(values.substr(values.size() - outputs), output.substr(output.size() - outputs));

  // One value of the output differs, by a third of the largest.
  std::vector<float> logits(tiny_llama.outputs);
  const auto write_last = [&](const std::string& file, const std::vector<float>& last) {
    std::string bytes = values;
    std::memcpy(bytes.data() + bytes.size() - outputs, last.data(), outputs);
    write_bytes(path(file), bytes);
  };
  logits[2] = -6.0F;
  logits[3] = 1.0F;
  write_last("left.st", logits);
  logits[3] = 3.0F;
  write_last("right.st", logits);
  const auto result = run("compare left.st right.st --picture p.svg");
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\n *1 +\d+ +output +\d+ +1 +2\.0e\+00 +3\.3e-01\n)")))
      << result.out;
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\n *1 +1 +mlp +48 +0 +0 +0\n)"))) << result.out;
  EXPECT_NE(result.out.find("output is the first that differs: by 2.0e+00, 3.3e-01 of its largest value; 1 of 8"),
            std::string::npos)
      << result.out;
  EXPECT_EQ(result.error, "");
  const std::string picture = read_bytes(path("p.svg"));
  EXPECT_NE(picture.find(">3.3e-01</text>"), std::string::npos);
  EXPECT_EQ(picture.find(">cross-attention<"), std::string::npos);
  EXPECT_NE(picture.find(">block 1</text>"), std::string::npos);

  logits[3] = std::numeric_limits<float>::quiet_NaN();
  write_last("nan.st", logits);
  expect_difference("compare left.st nan.st", {"by not finite"});
  EXPECT_EQ(run("compare nan.st nan.st").out, "8 stages are the same\n");
  std::string renamed = values;
  renamed.replace(renamed.find(".1.mlp"), 6, ".0.mlp");
  write_bytes(path("renamed.st"), renamed);
  expect_failure("compare a.st renamed.st", {"stage 5, pass 1: a.st has block 1, mlp where renamed.st has block 0"});
  renamed = values;
  renamed.replace(renamed.find("00000005.1.mlp"), 14, "00000005.1.mlq");
  write_bytes(path("renamed.st"), renamed);
  expect_failure("compare a.st renamed.st", {"renamed.st", "there is no stage mlq"});
  renamed.replace(renamed.find("00000005.1.mlq"), 14, "00000025.1.mlp");
  write_bytes(path("renamed.st"), renamed);
  expect_failure("compare a.st renamed.st", {"renamed.st", "stage 5 is `00000005."});
}

TEST_F(HeedCompare, RefusesStagesThatAreNone) {
  write_bytes(path("good.json"), R"({"stages": [{"block": 0, "stage": "mlp", "hash": "0123456789abcdef"}]})");
  const auto refuse = [&](const std::string& text, const std::vector<std::string>& parts) {
    write_bytes(path("bad"), text);
    expect_failure("compare good.json bad", parts);
  };
  refuse("", {"bad: there are no stages"});
  refuse("booted\n", {"bad: there are no stages"});
  refuse("[]", {"bad: there is no list of stages"});
  refuse(R"({"stages": []})", {"bad: there are no stages"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlp"}]})", {"bad: stage 0", "hash"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlq", "hash": "0123456789abcdef"}]})", {"no stage mlq"});
  refuse(R"({"stages": [{"block": 4294967296, "stage": "mlp", "hash": "0123456789abcdef"}]})", {"stage 0", "32 bits"});
  refuse(R"({"stages": [{"block": 0, "stage": "mlp", "hash": "123"}]})", {"16 hexadecimal digits"});
  refuse("stage 0 mlp\n", {"bad: line 1"});
  refuse("\nstage x mlp 0123456789abcdef\n", {"bad: line 2"});
  refuse("stage 0 mlp 0123456789abcdeg\n", {"bad: line 1"});
  refuse("stage 0 mlp 0123456789abcdef more\n", {"bad: line 1"});
}

}  // namespace
}  // namespace heed::test
