// SPDX-License-Identifier: MIT
//
// `heed demo` and the command line itself, from outside.
#include "command/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "heed/heed_types.h"

namespace {

using namespace heed::test;
using nlohmann::json;

using HeedCommand = CommandTest;

TEST_F(HeedCommand, ExplainsEveryOption) {
  for (const char* command : {"", "demo ", "attend ", "mha ", "pack ", "array ", "plan "}) {
    const Ended ended = run(std::string(command) + "--help");
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.error, "");
    EXPECT_NE(ended.out.find("--help"), std::string::npos);
  }
  expect_failure("deno", {"there is no command deno; did you mean demo?\n"});
  expect_failure("demo more", {"heed: demo: unexpected argument: more\n"});
  expect_failure("attend c --hedas 4 b a --scale 8",
                 {"heed: attend: unexpected arguments: c --hedas 4 b a; did you mean --heads?\n"});
  expect_failure("attend --querry q.npy", {"attend: unexpected arguments: --querry q.npy; did you mean --query?\n"});
  expect_failure("--verbose", {"heed: unexpected argument: --verbose\n"});
  expect_failure("--versoin", {"heed: unexpected argument: --versoin; did you mean --version?\n"});
  expect_failure("genrate m.heed --tokens 1", {"heed: there is no command genrate; did you mean generate?\n"});
  expect_failure("cat", {"heed: there is no command cat\n"});
  expect_failure("plan --kvheads=4 --head-dim 8", {"--kvheads=4; did you mean --kv-heads?\n"});
  expect_failure("plan '' --head-dim 8", {"argument 2 is empty"});
}

// Nothing to do is no success, and the list is what helps.
TEST_F(HeedCommand, ListsItsCommandsWhenItIsGivenNone) {
  const Ended ended = run("");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.error, "");
  std::istringstream lines(ended.out);
  int commands = 0;
  for (std::string line; std::getline(lines, line);) {
    for (const char* command : {"demo", "attend", "mha", "pack", "array", "plan"}) {
      if (line.rfind(std::string("  ") + command + " ", 0) == 0 && line.size() > 40) ++commands;
    }
  }
  EXPECT_EQ(commands, 6) << ended.out;
}

TEST_F(HeedCommand, HelpFitsAPageAndEndsWithAnExample) {
  for (const std::string command : {"demo", "attend", "mha", "pack", "array", "plan", "inspect", "run", "generate",
                                    "bench", "tokenize", "compare"}) {
    const Ended ended = run(command + " --help");
    EXPECT_EQ(ended.code, 0);
    std::istringstream lines(ended.out);
    std::string last;
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 100U) << command << ": " << line;
      if (!line.empty()) last = line;
    }
    EXPECT_EQ(last.rfind("  heed " + command + " ", 0), 0U) << last;
    EXPECT_EQ(ended.out.find("\n\n\n"), std::string::npos) << command;
    // The options of the example are those of the command.
    std::istringstream words(last);
    for (std::string word; words >> word;) {
      EXPECT_TRUE(!word.starts_with("--") || ended.out.find("\n  " + word + " ") != std::string::npos) << last;
    }
  }
}

TEST_F(HeedCommand, TellsItsVersionAndPort) {
  const Ended ended = run("--version");
  EXPECT_EQ(ended.code, 0);
  const std::regex line("heed " HEED_VERSION " \\(port [a-z0-9_]+\\)\n");
  EXPECT_TRUE(std::regex_match(ended.out, line)) << ended.out;
}

TEST_F(HeedCommand, DemoAgreesWithFloat64AndWithTheTexts) {
  const Ended ended = run("demo --all");
  ASSERT_EQ(ended.code, 0) << ended.error;
  EXPECT_EQ(ended.out.find('\x1b'), std::string::npos) << "colours in a file";
  EXPECT_NE(ended.out.find("head 0, "), std::string::npos);
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

}  // namespace
