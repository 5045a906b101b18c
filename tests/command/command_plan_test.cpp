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
#include "heed/heed.hpp"

namespace {

using namespace heed::test;
using nlohmann::json;

/// Children lie inside their parent, one after the other, on 64-byte boundaries.
void expect_nested(const json& node) {
  EXPECT_EQ(node.at("offset").get<std::uint64_t>() % 64, 0U) << node;
  std::uint64_t end = node["offset"];
  const std::uint64_t copies = node.value("copies", 1U);
  for (const json& child : node.value("regions", json::array())) {
    EXPECT_EQ(child.at("offset").get<std::uint64_t>(), end) << child;
    end += child.at("bytes").get<std::uint64_t>() * child.value("copies", 1U);
    expect_nested(child);
  }
  if (node.contains("regions")) {
    EXPECT_EQ(end - node["offset"].get<std::uint64_t>(), node["bytes"].get<std::uint64_t>()) << node;
  }
  EXPECT_GE(copies, 1U);
}

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

  heed::FloatKvCachePlan cache;
  ASSERT_EQ(make_plan(heed::FloatKvCacheConfig{3, 2, 48, 16, 500}, cache), heed::Status::ok);
  EXPECT_EQ(plan("--cache --max-sequences 3 --kv-heads 2 --head-dim 48 --value-dim 16 --max-keys 500")
                .at("memories")
                .at(0)
                .at("bytes"),
            cache.bytes);
  heed::KvCachePlan stored;
  ASSERT_EQ(make_plan(heed::KvCacheConfig{.max_sequences = 3,
                                          .kv_heads = 2,
                                          .head_dim = 48,
                                          .value_dim = 16,
                                          .max_keys = 500,
                                          .key_type = heed::DataType::int8,
                                          .value_type = heed::DataType::int4},
                      stored),
            heed::Status::ok);
  EXPECT_EQ(
      plan("--cache --kv-type int8:int4 --max-sequences 3 --kv-heads 2 --head-dim 48 --value-dim 16 --max-keys 500")
          .at("memories")
          .at(0)
          .at("bytes"),
      stored.bytes);
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
                 {"heads is not a multiple of kv_heads", "kv_heads 3: must divide heads; 1 to 8 are allowed"});
  expect_failure("plan --head-dim 100000", {"exceeds", "head_dim 100000: 1 to 65536 are allowed"});
  expect_failure("plan --head-dim 16 --workers 65", {"--workers", "65 not in range 1 to 64"});
  expect_failure("plan --head-dim 16 --max-sequences 2", {"--max-sequences"});
  expect_failure("plan --head-dim x", {"x"});
  expect_failure("plan --cache --heads 2 --head-dim 16 --max-keys 4", {"--heads"});
  expect_failure("plan --head-dim 16 --kv-type int8", {"--kv-type", "--cache"});
  expect_failure("plan --cache --kv-heads 1 --head-dim 16 --max-keys 4 --kv-type int9", {"int9"});
  expect_failure("plan --cache --kv-heads 1000 --head-dim 65536 --max-keys 1000000", {"32-bit"});
}

}  // namespace
