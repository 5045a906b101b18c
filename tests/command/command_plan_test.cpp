// SPDX-License-Identifier: MIT
//
// `heed plan` from outside: its numbers against the library's, its table, and every way to refuse.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "command/plan_nodes.hpp"
#include "heed/heed.hpp"

namespace {

using namespace heed::test;
using nlohmann::json;

class HeedPlan : public CommandTest {
 protected:
  [[nodiscard]] json plan(const std::string& arguments) const {
    const Ended ended = run("plan --json " + arguments);
    EXPECT_EQ(ended.code, 0) << ended.error;
    json report = json::parse(ended.out);
    for (const json& memory : report.at("memories")) expect_nested(memory);
    return report;
  }
};

TEST_F(HeedPlan, GivesTheLibrarysTotals) {
  heed::AttentionPlan attention;
  ASSERT_EQ(make_plan(heed::AttentionConfig{.heads = 8, .kv_heads = 2, .head_dim = 64, .max_keys = 1000, .workers = 3},
                      attention),
            heed::Status::ok);
  EXPECT_EQ(plan("--heads 8 --kv-heads 2 --head-dim 64 --max-keys 1000 --workers 3").at("memories").at(0).at("bytes"),
            attention.bytes);

  heed::MultiHeadPlan layer;
  ASSERT_EQ(make_plan(heed::MultiHeadConfig{.model_dim = 100,
                                            .heads = 4,
                                            .value_dim = 30,
                                            .kv_input_dim = 70,
                                            .output_dim = 50,
                                            .max_keys = 99,
                                            .max_sequences = 2,
                                            .workers = 2,
                                            .scratch_budget = 8000},
                      layer),
            heed::Status::ok);
  const json report = plan(
      "--model-dim 100 --heads 4 --value-dim 30 --kv-input-dim 70 --output-dim 50 --max-keys 99 "
      "--max-sequences 2 --workers 2 --scratch-budget 8000");
  EXPECT_EQ(report.at("memories").at(0).at("bytes"), layer.bytes);
  EXPECT_EQ(report.at("memories").at(1).at("bytes"), layer.weights_bytes);
  EXPECT_EQ(report.at("config").at("head_dim"), layer.config.head_dim);
  EXPECT_EQ(report.at("config").at("max_sequences"), 2);
  EXPECT_EQ(report.at("totals").at("state"), layer.state.bytes);
  EXPECT_EQ(report.at("totals").at("scratch"),
            layer.attention_scratch.bytes + layer.projected.bytes + layer.attention_output.bytes);
  EXPECT_EQ(report.at("totals").at("weights"), layer.weights_bytes);
  EXPECT_EQ(report.at("totals").at("ram"), layer.bytes);
  EXPECT_EQ(report.at("totals").at("flash"), layer.weights_bytes);

  heed::KvCacheConfig config{3, 2, 48, 16, 500};
  const std::string sizes = "--cache --max-sequences 3 --kv-heads 2 --head-dim 48 --value-dim 16 --max-keys 500 ";
  heed::KvCachePlan cache;
  ASSERT_EQ(make_plan(config, cache), heed::Status::ok);
  EXPECT_EQ(plan(sizes).at("memories").at(0).at("bytes"), cache.bytes);
  config.key_type = heed::DataType::int8;
  config.value_type = heed::DataType::int4;
  config.ring = 1;
  config.sink_tokens = 499;
  ASSERT_EQ(make_plan(config, cache), heed::Status::ok);
  const json stored = plan(sizes + "--kv-type int8:int4 --ring --sink-tokens 499");
  EXPECT_EQ(stored.at("memories").at(0).at("bytes"), cache.bytes);
  EXPECT_EQ(stored.at("config").at("key_type"), "int8");
  EXPECT_EQ(stored.at("config").at("value_type"), "int4");
  EXPECT_EQ(stored.at("config").at("ring"), 1);
  EXPECT_EQ(stored.at("config").at("sink_tokens"), 499);
  EXPECT_EQ(stored.at("config").at("names"), json({"int8_cache", "int4_cache", "kv_ring"}));
}

/// How a layer stores, on the command line and in the library, and what a program names for it.
struct Storing {
  std::string options;
  heed::MultiHeadConfig config;
  json config_text;
};

// Every option changes what the library's plan has: bytes in every part, and what was given or inferred.
TEST_F(HeedPlan, KnowsHowALayerStores) {
  using enum heed::DataType;
  const heed::MultiHeadConfig sizes{.model_dim = 96, .heads = 4, .kv_heads = 2, .max_keys = 48, .max_sequences = 5};
  const auto with = [&](auto change) {
    heed::MultiHeadConfig config = sizes;
    change(config);
    return config;
  };
  const Storing cases[] = {
      {"", sizes, {{"weight_type", "float32"}, {"key_type", "float32"}, {"value_type", "float32"}}},
      {"--kv-type f16",
       with([](auto& c) { c.key_type = c.value_type = float16; }),
       {{"key_type", "float16"}, {"value_type", "float16"}, {"names", {"float16_cache"}}}},
      {"--kv-type bfloat16:f32",
       with([](auto& c) { c.key_type = bfloat16; }),
       {{"key_type", "bfloat16"}, {"value_type", "float32"}, {"names", {"bfloat16_cache"}}}},
      {"--kv-type int8_channels:int4",
       with([](auto& c) { c.key_type = int8_channels, c.value_type = int4; }),
       {{"key_type", "int8_channels"}, {"value_type", "int4"}, {"names", {"int8_channel_keys", "int4_cache"}}}},
      {"--kv-type int8 --ring --sink-tokens 47",
       with([](auto& c) { c.key_type = c.value_type = int8, c.ring = 1, c.sink_tokens = 47; }),
       {{"ring", 1}, {"sink_tokens", 47}, {"names", {"int8_cache", "kv_ring"}}}},
      {"--page-table 7",
       with([](auto& c) { c.max_pages = 7; }),
       {{"max_pages", 7}, {"max_keys", 48}, {"max_sequences", 5}, {"names", {"kv_pages"}}}},
      {"--weight-type int8_groups --workers 3",
       with([](auto& c) { c.weight_type = int8_groups, c.workers = 3; }),
       {{"weight_type", "int8_groups"}, {"head_dim", 24}, {"value_dim", 24}, {"names", {"int8_group_weights"}}}}};
  for (const Storing& storing : cases) {
    SCOPED_TRACE(storing.options);
    heed::MultiHeadPlan layer;
    ASSERT_EQ(make_plan(storing.config, layer), heed::Status::ok);
    const json report =
        plan("--model-dim 96 --heads 4 --kv-heads 2 --max-keys 48 --max-sequences 5 " + storing.options);
    EXPECT_EQ(report.at("totals").at("state"), layer.state_bytes);
    EXPECT_EQ(report.at("totals").at("scratch"), layer.scratch_bytes);
    EXPECT_EQ(report.at("totals").at("flash"), layer.weights_bytes);
    for (const auto& [member, value] : storing.config_text.items()) {
      EXPECT_EQ(report.at("config").value(member, json()), value) << member;
    }
    const bool usual = storing.options.empty();
    EXPECT_EQ(report.at("config").contains("names"), !usual) << "nothing to name";
    EXPECT_EQ(report.at("config").contains("ring"), storing.config.ring != 0);
  }
  const std::string text = run("plan --model-dim 96 --heads 4 --max-keys 48 --kv-type int8:f16 --ring").out;
  EXPECT_NE(
      text.find("\n  key_type int8\n  value_type float16\n  ring 1\n  names int8_cache, float16_cache, kv_ring\n"),
      std::string::npos)
      << text;
}

TEST_F(HeedPlan, RefusesWhatALayerCannotStore) {
  const std::string layer = "plan --model-dim 96 --heads 4 --max-keys 48 ";
  expect_failure(layer + "--sink-tokens 4", {"--sink-tokens 4: is for rings alone"});
  expect_failure(layer + "--ring --sink-tokens 48", {"--sink-tokens 48: 0 to 47 are allowed"});
  expect_failure(layer + "--ring --page-table 2", {"--page-table 2: is not for rings"});
  expect_failure(layer + "--page-table 22369622", {"--page-table 22369622: ", "0 to 22369621 are allowed"});
  expect_failure("plan --model-dim 96 --heads 4 --max-keys 50 --page-table 2",
                 {"--max-keys 50: must be a multiple of 16"});
  expect_failure(layer + "--kv-type int8 --value-dim 2000",
                 {"--kv-type, value_type int8: must be float32 where a value is longer than sixteen keys"});
  expect_failure(layer + "--kv-type int8:int8_channels",
                 {"--kv-type int8:int8_channels", "bfloat16, int8, int4, int8_integer is"});
  expect_failure(layer + "--kv-type int8_groups",
                 {"--kv-type int8_groups", "int8, int4, int8_channels, int8_integer is needed"});
  expect_failure(layer + "--weight-type int4", {"--weight-type int4: one of float32", "int4_groups is needed"});
  expect_failure("plan --cache --head-dim 8 --max-keys 48 --page-table 2", {"--page-table means nothing for a cache"});
  expect_failure("plan --cache --head-dim 8 --max-keys 48 --sink-tokens 2", {"--sink-tokens 2: is for rings alone"});
  expect_failure("plan --cache --head-dim 8 --max-keys 48 --weight-type int8", {"--weight-type means nothing"});
  for (const char* option : {"--ring", "--sink-tokens 2", "--page-table 2", "--weight-type int8"}) {
    expect_failure(std::string("plan --head-dim 8 ") + option, {"means nothing for attention alone"});
  }
}

TEST_F(HeedPlan, PrintsEveryRegionInATable) {
  const std::string arguments = "--model-dim 64 --heads 4 --max-keys 128 --workers 2";
  const Ended ended = run("plan " + arguments);
  ASSERT_EQ(ended.code, 0) << ended.error;
  std::vector<std::vector<std::string>> table;
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    table.push_back({std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()});
  }
  std::vector<json> nodes = plan(arguments).at("memories");
  while (!nodes.empty()) {
    const json node = nodes.back();
    nodes.pop_back();
    for (const json& child : node.value("regions", json::array())) nodes.push_back(child);
    const std::string name = node.at("name").get<std::string>();
    const std::vector<std::string> numbers{node.at("offset").dump(), node.at("bytes").dump(), "64"};
    const bool found = std::any_of(table.begin(), table.end(), [&](const std::vector<std::string>& words) {
      return words.size() > 3 && std::equal(numbers.begin(), numbers.end(), words.end() - 3) &&
             name.rfind(words.front(), 0) == 0;
    });
    EXPECT_TRUE(found) << node << ended.out;
  }
}

// Attention alone is all scratch, a cache all state.
TEST_F(HeedPlan, TellsStateFromScratchAndRamFromFlash) {
  const auto expect_totals = [&](const std::string& arguments, bool state) {
    const json report = plan(arguments);
    const json& totals = report.at("totals");
    const json& bytes = report.at("memories").at(0).at("bytes");
    EXPECT_EQ(totals.at("ram"), bytes);
    EXPECT_EQ(totals.at(state ? "state" : "scratch"), bytes);
    EXPECT_EQ(totals.at(state ? "scratch" : "state"), 0);
    EXPECT_EQ(totals.at("weights"), 0);
    EXPECT_EQ(totals.at("flash"), 0);
  };
  expect_totals("--head-dim 64", false);
  expect_totals("--cache --head-dim 64 --max-keys 9", true);
  expect_totals("--cache --head-dim 64 --max-keys 9 --kv-type int8", true);
  const std::string layer = "--model-dim 64 --heads 4 --max-keys 128";
  const json totals = plan(layer).at("totals");
  const std::string out = run("plan " + layer).out;
  for (const std::string name : {"state", "scratch", "weights", "ram", "flash"}) {
    const std::string row = name == "ram" ? "RAM" : name;
    const std::regex line("\n" + row + " +" + totals.at(name).dump() + "  [a-z]");
    EXPECT_TRUE(std::regex_search(out, line)) << name << out;
    EXPECT_GT(totals.at(name), 0) << name;
  }
}

TEST_F(HeedPlan, RefusesWhatHasNoPlan) {
  expect_failure("plan --heads 8", {"--head-dim is needed"});
  expect_failure("plan --cache --head-dim 8", {"--max-keys is needed for a cache"});
  expect_failure("plan --cache --max-keys 8", {"--head-dim is needed for a cache"});
  expect_failure("plan --model-dim 8", {"--max-keys is needed for a multi-head layer"});
  expect_failure("plan --model-dim 8 --heads 9 --max-keys 1", {"--head-dim is needed for so many --heads"});
  expect_failure("plan --model-dim 0", {"--model-dim", "Value 0"});
  expect_failure("plan --heads 8 --kv-heads 3 --head-dim 16",
                 {"heads is not a multiple of kv_heads", "--kv-heads 3: must divide heads; 1 to 8 are allowed"});
  expect_failure("plan --head-dim 100000", {"exceeds", "--head-dim 100000: 1 to 65536 are allowed"});
  expect_failure("plan --head-dim 16 --workers 65", {"--workers", "65 not in range 1 to 64"});
  expect_failure("plan --head-dim 16 --max-sequences 2", {"--max-sequences"});
  expect_failure("plan --head-dim x", {"x"});
  expect_failure("plan --cache --heads 2 --head-dim 16 --max-keys 4", {"--heads"});
  expect_failure("plan --head-dim 16 --kv-type int8", {"--kv-type", "--cache"});
  expect_failure("plan --cache --kv-heads 1 --head-dim 16 --max-keys 4 --kv-type int9", {"int9"});
  expect_failure("plan --cache --kv-heads 1000 --head-dim 65536 --max-keys 1000000", {"32-bit"});
}

}  // namespace
