// SPDX-License-Identifier: MIT
//
// A folder with a tokenizer.json, which `heed pack --tokenizer` reads, and the file that it makes.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command/command.hpp"

namespace heed::test {

using nlohmann::json;

class TokenizerFolderTest : public CommandTest {
 protected:
  /// A tokenizer with texts and their tokens, of tests/data/tokenizers.
  static json vectors(const std::string& name) {
    std::ifstream stream(std::string(HEED_TEST_DATA) + "/tokenizers/" + name + ".json");
    return json::parse(stream);
  }

  void write_folder(const json& tokenizer) const {
    std::filesystem::create_directories(path("folder"));
    write_bytes(path("folder/tokenizer.json"), tokenizer.dump());
  }

  /// Makes t.tok of it.
  void pack(const json& tokenizer) const {
    write_folder(tokenizer);
    expect_success("pack folder --tokenizer t.tok");
  }

  void expect_refused(const json& tokenizer, const std::vector<std::string>& parts) const {
    write_folder(tokenizer);
    expect_failure("pack folder --tokenizer refused.tok", parts);
  }

  /// What `heed tokenize` prints.
  [[nodiscard]] std::string tokenized(const std::string& arguments) const {
    const Ended ended = run("tokenize t.tok " + arguments);
    EXPECT_EQ(ended.code, 0) << arguments << '\n' << ended.error;
    return ended.out;
  }
};

inline std::filesystem::path stories656k() {
  const char* const from_environment = std::getenv("HEED_STORIES656K");
  return from_environment != nullptr ? from_environment : HEED_SOURCE_DIR "/../shared/stories656k";
}

}  // namespace heed::test
