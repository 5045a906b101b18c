// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/detail/token_layout.hpp"
#include "heed/text.hpp"
#include "support/aligned_bytes.hpp"

namespace heed::tools {

struct TokenPart {
  std::string bytes;       ///< what it is in text
  std::uint8_t marks = 0;  ///< 0: there is no such token
  bool in_text = false;    ///< text may become it
};

struct AddedPart {
  std::uint32_t token;
  std::string name;  ///< as text has it
  std::uint32_t rules;
  std::string content;  ///< as the file that was read has it
};

/// A tokenizer, as its file keeps it; heed/detail/token_layout.hpp says what the numbers mean.
struct TokenParts {
  TokenizerKind kind = TokenizerKind::none;
  std::uint32_t rules = 0;
  std::uint32_t splitter = 0;
  std::uint32_t unknown = detail::no_token;
  std::uint32_t max_characters = 0;
  std::vector<TokenPart> tokens = {};
  std::vector<std::array<std::uint32_t, 4>> merges = {};  ///< left, right, rank, what they become
  std::map<std::string, std::uint32_t> pieces = {};       ///< of a unigram vocabulary, and their scores by token
  std::vector<double> scores = {};
  double unknown_score = 0;
  std::map<std::string, std::string> changes = {};  ///< that its normalizer makes
  std::array<std::uint32_t, 256> byte_ids{};
  std::vector<AddedPart> raw = {};
  std::vector<AddedPart> normalized = {};
  std::vector<std::uint32_t> begin = {};
  std::vector<std::uint32_t> end = {};
  std::vector<std::uint32_t> stops = {};
  std::vector<std::string> notes = {};  ///< what was inferred, a line each
};

/// The bytes of the file; a Failure that begins with `what` if the library does not take it.
[[nodiscard]] AlignedBytes token_file(const TokenParts& parts, const std::string& what);

}  // namespace heed::tools
