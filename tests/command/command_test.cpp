// SPDX-License-Identifier: MIT
//
// `heed demo`, `heed plan` and the command line itself, from outside.
#include "command/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "heed/heed.hpp"

namespace {

using namespace heed::test;
using nlohmann::json;

using HeedCommand = CommandTest;

TEST_F(HeedCommand, ExplainsEveryOption) {
  for (const char* command : {"", "demo ", "attend ", "mha ", "pack ", "plan "}) {
    const Ended ended = run(std::string(command) + "--help");
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.error, "");
    EXPECT_NE(ended.out.find("--help"), std::string::npos);
  }
  expect_failure("", {"subcommand"});
  expect_failure("deno", {"deno"});
  expect_failure("demo more", {"more"});
}

TEST_F(HeedCommand, DemoAgreesWithFloat64AndWithTheTexts) {
  const Ended ended = run("demo --all");
  ASSERT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "colours in a file";
  int compared = 0, printed = 0;
  std::istringstream lines(ended.out);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t found = line.find("largest difference ");
    if (found == std::string::npos) continue;
    double from_float64 = 1.0, from_text = 0.0;
    ++compared;
    if (std::sscanf(line.c_str() + found, "largest difference %lf from float64, %lf", &from_float64, &from_text) == 2) {
      ++printed;
    }
    EXPECT_LE(from_float64, 2e-6) << line;
    EXPECT_LE(from_text, 5e-4) << line << "\nOne text cuts its numbers off after three decimals, no more than that.";
  }
  const json examples = json::parse(read_bytes(HEED_TEST_DATA "/worked_examples.json"));
  int exact = 0, texts = 0;
  for (const json& example : examples.at("examples")) {
    const auto count = [](const json& matrices, int& total) {
      for (const auto& [name, value] : matrices.items()) {
        if (name != "heads") ++total;
      }
      for (const json& head : matrices.value("heads", json::array())) total += static_cast<int>(head.size());
    };
    count(example.at("exact"), exact);
    count(example.value("printed", json::object()), texts);
    EXPECT_NE(ended.out.find(example.at("title").get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(compared, exact);
  EXPECT_EQ(printed, texts);
  for (const json& entry : examples.at("inconsistencies")) {
    EXPECT_NE(ended.out.find(entry.at("line").get<std::string>()), std::string::npos) << entry;
  }
}

// Each example in a screenful: its text's title, its tokens, and the largest difference of all its results.
TEST_F(HeedCommand, DemoSummarisesEachExample) {
  const Ended ended = run("demo");
  ASSERT_EQ(ended.code, 0) << ended.error;
  const json data = json::parse(read_bytes(HEED_TEST_DATA "/worked_examples.json"));
  std::size_t at = 0;
  for (const json& example : data.at("examples")) {
    at = ended.out.find(example.at("title").get<std::string>(), at);
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = ended.out.find(" results: ", at);
    ASSERT_NE(end, std::string::npos);
    const std::string section = ended.out.substr(at, end - at);
    EXPECT_NE(section.find(data["texts"][example["text"].get<std::string>()].get<std::string>()), std::string::npos);
    for (const json& token : example.at("tokens")) EXPECT_NE(section.find(token.get<std::string>()), std::string::npos);
    EXPECT_LE(std::count(section.begin(), section.end(), '\n'), 40);
    double from_float64 = 1.0, from_text = 0.0;
    EXPECT_GE(std::sscanf(ended.out.c_str() + end, " results: largest difference %lf from float64, %lf", &from_float64,
                          &from_text),
              1);
    EXPECT_LE(from_float64, 2e-6);
    EXPECT_LE(from_text, 5e-4);
  }
}

// The demonstration states a formula for the weights that the text leaves open.
TEST_F(HeedCommand, DemoWeightsFollowTheFormula) {
  const json examples = json::parse(read_bytes(HEED_TEST_DATA "/worked_examples.json")).at("examples");
  const json& example = examples.back();
  ASSERT_EQ(example.at("name"), "telescope");
  const json& w = example.at("projections");
  const std::vector<json> matrices{w["query"][0],
                                   w["key"][0],
                                   w["value"][0],
                                   w["query"][1],
                                   w["key"][1],
                                   w["value"][1],
                                   example["output_projection"]};
  for (std::size_t s = 0; s < matrices.size(); ++s) {
    for (std::size_t i = 0; i < matrices[s].size(); ++i) {
      for (std::size_t j = 0; j < matrices[s][i].size(); ++j) {
        const double formula = (static_cast<double>((5 * i + 3 * j + s) % 7) - 3.0) / 2.0;
        EXPECT_EQ(matrices[s][i][j].get<double>(), formula) << s << ' ' << i << ' ' << j;
      }
    }
  }
}

// Every tag is closed, in the order in which they were opened.
TEST_F(HeedCommand, DemoDrawsAWellFormedPicture) {
  expect_success("demo --svg picture.svg");
  const std::string svg = read_bytes(path("picture.svg"));
  std::vector<std::string> open;
  for (std::size_t begin = svg.find('<'); begin != std::string::npos; begin = svg.find('<', begin + 1)) {
    const std::size_t end = svg.find_first_of("<>", begin + 1);
    ASSERT_NE(end, std::string::npos);
    ASSERT_EQ(svg[end], '>') << svg.substr(begin, 80);
    const std::string tag = svg.substr(begin + 1, end - begin - 1);
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const std::string name = tag.substr(0, tag.find(' '));
    if (tag.front() == '?' || tag.back() == '/') continue;
    if (tag.front() != '/') {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty());
    EXPECT_EQ("/" + open.back(), name);
    open.pop_back();
  }
  EXPECT_TRUE(open.empty());
  EXPECT_EQ(svg.find('&'), std::string::npos) << "none of the titles needs an escape";
  EXPECT_NE(svg.find("telescope"), std::string::npos);
  expect_failure("demo --svg no/such/folder/out.svg", {"no/such/folder/out.svg"});
}

/// Children lie inside their parent, one behind the other, on 64-byte boundaries.
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
      "--model-dim 100 --heads 4 --value-dim 30 --memory-dim 70 --output-dim 50 --max-keys 99 "
      "--sequences 2 --workers 2 --scratch-budget 8000");
  EXPECT_EQ(report.at("memories").at(0).at("bytes"), layer.bytes);
  EXPECT_EQ(report.at("memories").at(1).at("bytes"), layer.weights_bytes);
  EXPECT_EQ(report.at("config").at("head_dim"), layer.config.head_dim);

  heed::FloatKvCachePlan cache;
  ASSERT_EQ(make_plan(heed::FloatKvCacheConfig{3, 2, 48, 16, 500}, cache), heed::Status::ok);
  EXPECT_EQ(plan("--cache --sequences 3 --kv-heads 2 --head-dim 48 --value-dim 16 --max-keys 500")
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
  EXPECT_EQ(plan("--cache --kv-type int8:int4 --sequences 3 --kv-heads 2 --head-dim 48 --value-dim 16 --max-keys 500")
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

TEST_F(HeedPlan, RefusesWhatHasNoPlan) {
  expect_failure("plan --heads 8", {"a dimension that must be at least 1 is 0"});
  expect_failure("plan --heads 8 --kv-heads 3 --head-dim 16", {"heads is not a multiple of kv_heads"});
  expect_failure("plan --head-dim 100000", {"exceeds"});
  expect_failure("plan --head-dim 16 --workers 65", {"workers"});
  expect_failure("plan --head-dim 16 --sequences 2", {"--sequences"});
  expect_failure("plan --head-dim x", {"x"});
  expect_failure("plan --cache --heads 2 --head-dim 16 --max-keys 4", {"--heads"});
  expect_failure("plan --head-dim 16 --kv-type int8", {"--kv-type", "--cache"});
  expect_failure("plan --cache --kv-heads 1 --head-dim 16 --max-keys 4 --kv-type int9", {"int9"});
  expect_failure("plan --cache --kv-heads 1000 --head-dim 65536 --max-keys 1000000", {"32-bit"});
}

}  // namespace
