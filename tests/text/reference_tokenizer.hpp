// SPDX-License-Identifier: MIT
//
// The tokenizer as the original's authors describe it, a small vocabulary, and that of stories260K (HEED_STORIES, or
// ../shared/stories260k).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/text.hpp"
#include "support/aligned_memory.hpp"
#include "text/stories.hpp"
#include "text/tokenizer_file.hpp"

namespace heed::test {

inline const std::vector<std::string_view> pieces{"he", " h", "ll", "llo", " hello", "el",          "lo", "é",
                                                  "éé", " ",  "h",  "e",   "l",      "o",           "a",  "aa",
                                                  "<",  "0",  "x",  "A",   ">",      "\xE2\x82\xAC"};

inline AlignedMemory exact(const std::string& bytes) {
  return AlignedMemory(std::as_bytes(std::span(bytes)));
}

/// Every piece of a file, and the merging as it is told, from texts alone.
struct ReferenceTokenizer {
  std::vector<std::string> texts;
  std::vector<float> scores;

  explicit ReferenceTokenizer(const std::string& file) {
    for (std::size_t at = 4; at < file.size();) {
      float score = 0.0F;
      std::uint32_t length = 0;
      std::memcpy(&score, file.data() + at, 4);
      std::memcpy(&length, file.data() + at + 4, 4);
      texts.push_back(file.substr(at + 8, length));
      scores.push_back(score);
      at += 8 + length;
    }
  }

  [[nodiscard]] std::uint32_t find(const std::string& text) const {
    const auto found = std::find(texts.begin() + 259, texts.end(), text);
    return found == texts.end() ? 0 : static_cast<std::uint32_t>(found - texts.begin());
  }

  [[nodiscard]] std::vector<std::uint32_t> encode(const std::string& text) const {
    std::vector<std::uint32_t> tokens;
    if (!text.empty() && find(" ") != 0) tokens.push_back(find(" "));
    for (std::size_t at = 0; at < text.size();) {
      std::size_t length = 1;
      while (length < 4 && at + length < text.size() && (text[at + length] & '\xC0') == '\x80') ++length;
      const std::uint32_t found = find(text.substr(at, length));
      if (found != 0) tokens.push_back(found);
      for (std::size_t i = 0; found == 0 && i < length; ++i) {
        tokens.push_back(3 + static_cast<unsigned char>(text[at + i]));
      }
      at += length;
    }
    for (;;) {
      float best = -std::numeric_limits<float>::infinity();
      std::size_t where = tokens.size();
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const std::uint32_t joined = find(texts[tokens[i]] + texts[tokens[i + 1]]);
        if (joined == 0 || scores[joined] <= best) continue;
        best = scores[joined];
        where = i;
      }
      if (where == tokens.size()) break;
      tokens[where] = find(texts[tokens[where]] + texts[tokens[where + 1]]);
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(where) + 1);
    }
    tokens.insert(tokens.begin(), Tokenizer::begin_token);
    return tokens;
  }
};

class StoriesTokenizer : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = stories_are_missing(); !missing.empty()) GTEST_SKIP() << missing;
    std::ifstream stream(stories_directory() / "tok512.bin", std::ios::binary);
    file_ = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }

  std::string file_;
};

}  // namespace heed::test
