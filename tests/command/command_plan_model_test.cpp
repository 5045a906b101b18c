// SPDX-License-Identifier: MIT
//
// `heed plan` of model files, from outside.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "command/plan_nodes.hpp"
#include "command/run_models.hpp"

namespace heed::test {
namespace {

class HeedPlanModel : public HeedRun {};

TEST_F(HeedPlanModel, PlansAModel) {
  const TinyModel llama(tiny_llama, false);
  write_model("llama.heed", llama);
  write_model("vit.heed", TinyModel(tiny_vit, true));
  ModelConfig with_cross = tiny_llama;
  with_cross.block.cross_dim = 9;
  with_cross.block.weight_type = DataType::int8;
  with_cross.head_type = DataType::int4_groups;
  write_model("cross.heed", TinyModel(with_cross, true));
  for (const char* arguments : {"llama.heed", "vit.heed --workers 3", "cross.heed --rows 5 --max-keys 12 --context 40",
                                "llama.heed --kv-type int8:f16 --max-keys 10 --scratch-budget 500"}) {
    const json report = parsed(std::string("plan --json ") + arguments);
    for (const json& memory : report.at("memories")) expect_nested(memory);
  }
  ModelPlan floats;
  ASSERT_EQ(make_plan(tiny_llama, {.rows = 4, .max_keys = 13, .workers = 2, .scratch_budget = 999}, floats),
            Status::ok);
  json totals = parsed("plan llama.heed --json --rows 4 --max-keys 13 --workers 2 --scratch-budget 999").at("totals");
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
  EXPECT_EQ(parsed("plan cross.heed --json --context 40").at("config").at("max_cross_keys"), 40);
  expect_failure("plan llama.heed --context 40", {"--context means nothing without cross-attention"});
  expect_failure("plan llama.heed --max-keys 17", {"--max-keys 17: the model has 16 positions"});
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

TEST_F(HeedPlanModel, SaysWhichBoardsAModelFits) {
  ModelConfig config = tiny_llama;
  config.max_positions = 800000;
  write_model("m.heed", TinyModel(config, false));
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
