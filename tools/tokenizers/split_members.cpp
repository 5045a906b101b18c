// SPDX-License-Identifier: MIT
#include "tokenizers/split_members.hpp"

#include <algorithm>

#include "tokenizers/text_members.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

/// Regular expressions of which each splits what those before it have left.
struct KnownSplits {
  Splitter splitter;
  std::vector<std::string> patterns;
};

const KnownSplits known_splits[] = {
    {splitter_gpt2, {"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}},
    {splitter_llama3,
     {"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
      "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {splitter_qwen2,
     {"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|"
      "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {splitter_gpt4o,
     {"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+"
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+"
      "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|"
      "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {splitter_tekken,
     {"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|"
      "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?"
      "[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}},
    {splitter_deepseek3,
     {"\\p{N}{1,3}", "[\u4E00-\u9FA5\u3040-\u309F\u30A0-\u30FF]+",
      "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+|"
      " ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"}}};

/// Ends of lines stand as they are in DeepSeek's.
std::string with_escaped_lines(const std::string& pattern) {
  std::string escaped;
  for (const char byte : pattern) {
    if (byte == '\r' || byte == '\n') {
      escaped += byte == '\r' ? "\\r" : "\\n";
    } else {
      escaped += byte;
    }
  }
  return escaped;
}

std::string take_split(PublishedConfig& step, bool alone) {
  const std::string pattern = take_pattern(step, "Regex");
  const std::string behavior = step.take_word("behavior", "");
  const bool inverted = step.take_flag("invert", false);
  // Every character is in a match of one that is alone: what is between the matches may be removed.
  if (alone && behavior == "Removed" && inverted) return pattern;
  if (behavior != "Isolated") throw step.refused("behavior", behavior + " is not supported, but Isolated");
  if (inverted) throw step.refused("invert", "true is not supported, but with Removed");
  return pattern;
}

}  // namespace

std::size_t take_splits(std::vector<PublishedConfig>& steps, TokenParts& parts) {
  std::size_t count = 1;
  while (count < steps.size() && PublishedConfig(steps[count]).take_word("type", "") == "Split") ++count;
  std::vector<std::string> patterns;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) steps[i].require("type", {"Split"});
    patterns.push_back(with_escaped_lines(take_split(steps[i], count == 1)));
    if (i != 0) steps[i].finish();
  }
  const auto* const known = std::find_if(std::begin(known_splits), std::end(known_splits),
                                         [&](const KnownSplits& one) { return one.patterns == patterns; });
  if (known == std::end(known_splits)) {
    std::string all;
    for (const std::string& pattern : patterns) all += (all.empty() ? "" : ", then ") + pattern;
    throw steps[0].refused(
        "pattern", all + " is not supported, but those of GPT-2, Llama 3, Qwen2, GPT-4o, Tekken and DeepSeek-V3");
  }
  parts.splitter = known->splitter;
  return count;
}

}  // namespace heed::tools
