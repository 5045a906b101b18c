// SPDX-License-Identifier: MIT
//
// `heed inspect`, `heed compare`, and `heed plan` of model files, from outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "command/plan_nodes.hpp"
#include "command/run_models.hpp"

namespace heed::test {
namespace {

class HeedModelReport : public HeedRun {};

TEST_F(HeedModelReport, LeavesHashesThatCompareFindsTheFirstDifferenceIn) {
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
  expect_failure("compare a.json board.txt", {"stage 5, pass 1: block 1, mlp is the first that differs", "board.txt"});
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
  expect_failure("compare a.json c.json", {"block 1, mlp is the first that differs"});
}

TEST_F(HeedModelReport, TellsHowFarTwoRunsAreApart) {
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
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\n *1 +\d+ +output +\d+ +1 +2\.0e\+00 +3\.3e-01\n$)")))
      << result.out;
  EXPECT_TRUE(std::regex_search(result.out, std::regex(R"(\n *1 +1 +mlp +48 +0 +0 +0\n)"))) << result.out;
  EXPECT_NE(result.error.find("output is the first that differs: by 2.0e+00, 3.3e-01 of its largest value; 1 of 8"),
            std::string::npos)
      << result.error;
  const std::string picture = read_bytes(path("p.svg"));
  EXPECT_NE(picture.find(">3.3e-01</text>"), std::string::npos);
  EXPECT_EQ(picture.find(">cross-attention<"), std::string::npos);
  EXPECT_NE(picture.find(">block 1</text>"), std::string::npos);

  logits[3] = std::numeric_limits<float>::quiet_NaN();
  write_last("nan.st", logits);
  expect_failure("compare left.st nan.st", {"by not finite"});
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

TEST_F(HeedModelReport, RefusesStagesThatAreNone) {
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

TEST_F(HeedModelReport, InspectsWhatIsThere) {
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

TEST_F(HeedModelReport, RunsAndInspectsWeightsInFewBits) {
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

TEST_F(HeedModelReport, PlansAModel) {
  const TinyModel llama(tiny_llama, false);
  write_model("llama.heed", llama);
  write_model("vit.heed", TinyModel(tiny_vit, true));
  ModelConfig with_cross = tiny_llama;
  with_cross.block.cross_dim = 9;
  with_cross.block.weight_type = DataType::int8;
  with_cross.head_type = DataType::int4_groups;
  write_model("cross.heed", TinyModel(with_cross, true));
  for (const char* arguments : {"llama.heed", "vit.heed --workers 3", "cross.heed --rows 5 --max-keys 40",
                                "llama.heed --kv-type int8:f16 --max-keys 100 --scratch-budget 500"}) {
    const json report = parsed(std::string("plan --json ") + arguments);
    for (const json& memory : report.at("memories")) expect_nested(memory);
  }
  ModelPlan floats;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 4, .max_keys = 30, .workers = 2, .scratch_budget = 999}, floats),
            Status::ok);
  json totals = parsed("plan llama.heed --json --rows 4 --max-keys 30 --workers 2 --scratch-budget 999").at("totals");
  EXPECT_EQ(totals.at("state"), floats.state_bytes);
  EXPECT_EQ(totals.at("scratch"), floats.scratch_bytes);
  EXPECT_EQ(totals.at("flash"), floats.file.bytes);
  EXPECT_EQ(totals.at("ram"), floats.state_bytes + floats.scratch_bytes);
  ModelPlan typed;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 1, .max_keys = 16, .key_type = DataType::int8, .value_type = DataType::int8},
                      typed),
            Status::ok);
  totals = parsed("plan llama.heed --json --kv-type int8").at("totals");
  EXPECT_EQ(totals.at("state"), typed.state_bytes);
  ASSERT_EQ(make_plan(with_cross,
                      {.rows = 1,
                       .max_keys = 16,
                       .max_cross_keys = 16,
                       .sink_tokens = 3,
                       .key_type = DataType::int8,
                       .value_type = DataType::float16,
                       .cross_type = DataType::int8,
                       .ring = 1},
                      typed),
            Status::ok);
  const json ring = parsed("plan cross.heed --json --kv-type int8:f16 --ring --sink-tokens 3");
  EXPECT_EQ(ring.at("totals").at("state"), typed.state_bytes);
  EXPECT_EQ(ring.at("config").at("cross_type"), "int8");
  EXPECT_EQ(ring.at("config").at("sink_tokens"), 3);
  EXPECT_EQ(ring.at("config").at("names"),
            json({"int8_weights", "int4_group_weights", "int8_cache", "float16_cache", "kv_ring"}));
  expect_failure("plan llama.heed --ring --sink-tokens 16", {"llama.heed", "--sink-tokens 16: 0 to 15 are allowed"});
  expect_failure("plan llama.heed --kv-type int8_channels:int8",
                 {"llama.heed", "--kv-type, key_type int8_channels: needs scales"});
  expect_failure("plan llama.heed --page-table 2", {"--page-table means nothing for a model file"});
  ASSERT_EQ(make_plan(tiny_vit, {.rows = 5, .max_keys = 5}, floats), Status::ok);
  totals = parsed("plan vit.heed --json").at("totals");
  EXPECT_EQ(totals.at("scratch"), floats.scratch_bytes);
  expect_failure("plan llama.heed --heads 3", {"--heads means nothing for a model file"});
  expect_failure("plan llama.heed --workers 65", {"workers"});
  expect_failure("plan --head-dim 4 --rows 3", {"--rows means nothing for anything but a model file"});
}

TEST_F(HeedModelReport, SaysWhichBoardsAModelFits) {
  const TinyModel model(tiny_llama, false);
  write_model("m.heed", model);
  // Of a board, what it gives: as its linker script says, which has the numbers in K and M.
  const auto given = [](const std::string& board, const std::string& memory) {
    const std::string script =
        read_bytes(std::filesystem::path(HEED_SOURCE_DIR) / "ports/boards" / board / "memory.ld");
    std::smatch found;
    if (!std::regex_search(script, found, std::regex(memory + "[^\n]*= ([0-9]+)([KM])"))) return std::uint64_t{0};
    return static_cast<std::uint64_t>(std::stoull(found[1])) << (found[2] == "K" ? 10 : 20);
  };
  for (const char* keys : {"16", "8000", "800000"}) {
    const json plan = parsed(std::string("plan m.heed --json --boards --max-keys ") + keys);
    const json& totals = plan.at("totals");
    const std::uint64_t work = totals.at("state").get<std::uint64_t>() + totals.at("scratch").get<std::uint64_t>();
    ASSERT_EQ(plan.at("boards").size(), 7U);
    for (const json& board : plan.at("boards")) {
      const std::string name = board.at("board");
      SCOPED_TRACE(name + " " + keys);
      const std::uint64_t flash = given(name, "MODELS");
      const std::uint64_t ram = given(name, "RAM [(]") - given(name, "STACK_BYTES");
      EXPECT_EQ(board.at("flash"), flash);
      EXPECT_EQ(board.at("RAM"), ram);
      EXPECT_EQ(board.at("RAM_taken"), work + (flash == 0 ? totals.at("weights").get<std::uint64_t>() : 0));
      EXPECT_EQ(board.at("fits"), board.at("RAM_taken") <= board.at("RAM"));
    }
  }
  const std::string some = run("plan m.heed --boards --max-keys 8000").out;
  EXPECT_TRUE(std::regex_search(some, std::regex("\nmps2_an500 .* of 516096 +does not fit\n")));
  EXPECT_TRUE(std::regex_search(some, std::regex("\nvirt_a53 .* of 8372224 +fits\n")));
  expect_failure("plan --head-dim 4 --boards", {"--boards means nothing for anything but a model file"});
}

}  // namespace
}  // namespace heed::test
