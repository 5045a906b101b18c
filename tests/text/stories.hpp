// SPDX-License-Identifier: MIT
//
// What there is of stories260K, a trained language model of 260,032 parameters. It is not part of the project: its
// directory comes from the environment variable HEED_STORIES, or is ../shared/stories260k.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace heed::test {

inline std::filesystem::path stories_directory() {
  const char* from_environment = std::getenv("HEED_STORIES");
  return from_environment != nullptr ? from_environment : HEED_SOURCE_DIR "/../shared/stories260k";
}

/// Why a test is skipped; empty where the data is there.
inline std::string stories_are_missing() {
  if (std::filesystem::exists(stories_directory() / "stories260K.bin")) return {};
  return "no stories260K in " + stories_directory().string() + "; set HEED_STORIES to its directory";
}

/// Prompts with the tokens and texts that the model makes of them.
inline nlohmann::json golden_stories() {
  std::ifstream stream(stories_directory() / "greedy.json");
  return nlohmann::json::parse(stream);
}

/// A golden text, which has the names of bytes.
inline std::string with_bytes(const std::string& golden) {
  std::string text;
  for (std::size_t at = 0; at < golden.size();) {
    const bool byte = golden.compare(at, 3, "<0x") == 0;
    text += byte ? static_cast<char>(std::stoi(golden.substr(at + 3, 2), nullptr, 16)) : golden[at];
    at += byte ? 6 : 1;
  }
  return text;
}

}  // namespace heed::test
