// SPDX-License-Identifier: MIT
#include "tokenizers/unigram_members.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "support/characters.hpp"
#include "tokenizers/charsmap.hpp"
#include "tokenizers/text_members.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

/// The number that serde_json, which reads tokenizer.json in Hugging Face's library, makes of the shortest digits of
/// another one: these as an integer, rounded to binary64, times or by a power of ten, rounded again. That is not always
/// the nearest number, and the last bit of a score may decide.
double as_read_by_serde(double number) {
  char digits[40];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::scientific);
  std::uint64_t whole = 0;
  int exponent = 0;
  const char* next = digits + (number < 0 ? 1 : 0);
  bool fraction = false;
  for (; error == std::errc{} && next != end && *next != 'e'; ++next) {
    if (*next == '.') {
      fraction = true;
      continue;
    }
    whole = 10 * whole + static_cast<std::uint64_t>(*next - '0');
    exponent -= fraction ? 1 : 0;
  }
  int written = 0;
  if (next != end) std::from_chars(next + (next[1] == '+' ? 2 : 1), end, written);
  exponent += written;
  double value = static_cast<double>(whole);
  double power = 1;  // exact to 10^22, beyond which no score of use lies
  for (int i = 0; i < std::abs(exponent); ++i) power *= 10;
  value = exponent < 0 ? value / power : value * power;
  return number < 0 ? -value : value;
}

double take_score(const nlohmann::json& value, const std::string& name, const PublishedConfig& model) {
  if (!value.is_number()) throw model.refused("vocab", name + ": a score is needed");
  const double score = value.get<double>();
  if (score == 0) return 0;
  if (!(std::abs(score) >= 1e-5 && std::abs(score) <= 1e15)) {
    throw model.refused("vocab", name + ": its score is not between 1e-5 and 1e15");
  }
  return value.is_number_integer() ? score : as_read_by_serde(score);
}

void take_changes(PublishedConfig& step, TokenParts& parts) {
  const std::string map = step.take_word("precompiled_charsmap", "");
  try {
    parts.changes = read_charsmap(map);
  } catch (const Failure& failure) {
    throw step.refused("precompiled_charsmap", failure.what());
  }
  for (const auto& [key, text] : parts.changes) {
    // What is no UTF-8 counts as U+FFFD, of as little as one byte.
    const std::size_t bytes = key == "\xEF\xBF\xBD" ? 1 : key.size();
    if (characters_of(text) > max_change_characters * bytes || text.size() > max_change_bytes * bytes) {
      throw step.refused("precompiled_charsmap", key + " becomes too long: " + text);
    }
  }
}

void take_runs_of_spaces(PublishedConfig& step, TokenParts& parts) {
  const std::string pattern = take_pattern(step, "Regex");
  const std::string content = step.take_word("content", "");
  if (pattern != " {2,}" || (content != " " && content != space_mark)) {
    throw step.refused(
        "pattern", "\"" + pattern + "\" by \"" + content + "\" is not supported, but \" {2,}\" by a space or U+2581");
  }
  parts.rules |= content == " " ? rule_squeeze_to_space : rule_squeeze_to_mark;
}

void take_strip(PublishedConfig& step, TokenParts& parts) {
  if (step.take_flag("strip_left", true)) throw step.refused("strip_left", "true is not supported");
  if (step.take_flag("strip_right", true)) parts.rules |= rule_strip_right;
}

}  // namespace

void take_unigram_model(PublishedConfig& model, TokenParts& parts) {
  const std::optional<nlohmann::json> vocabulary = model.take("vocab");
  if (!vocabulary || !vocabulary->is_array() || vocabulary->empty() || vocabulary->size() >= max_text_tokens) {
    throw model.refused("vocab", "a list of pieces and scores is needed");
  }
  double least = std::numeric_limits<double>::infinity();
  for (const nlohmann::json& entry : *vocabulary) {
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string()) {
      throw model.refused("vocab", "a piece and its score are needed in each");
    }
    const std::string name = entry[0].get<std::string>();
    const auto number = static_cast<std::uint32_t>(parts.tokens.size());
    if (name.empty() || name.find('\0') != name.npos || characters_of(name) > max_piece_characters) {
      throw model.refused("vocab", "token " + std::to_string(number) + " has not 1 to " +
                                       std::to_string(max_piece_characters) + " characters, or U+0000 among them");
    }
    if (!parts.pieces.emplace(name, number).second) throw model.refused("vocab", name + " is there twice");
    const auto characters = static_cast<std::uint32_t>(characters_of(name));
    parts.max_characters = std::max(parts.max_characters, characters);
    parts.scores.push_back(take_score(entry[1], name, model));
    least = std::min(least, parts.scores.back());
    parts.tokens.push_back({name, mark_present, true});
  }
  parts.unknown_score = least - 10;  // as sentencepiece has it
  const std::optional<nlohmann::json> unknown = model.take("unk_id");
  if (!unknown || !unknown->is_number_unsigned() || unknown->get<std::uint64_t>() >= parts.tokens.size()) {
    throw model.refused("unk_id", "the number of a token is needed");
  }
  parts.unknown = unknown->get<std::uint32_t>();
  if (model.take_flag("byte_fallback", false)) parts.rules |= rule_byte_fallback;
  model.require("fuse_unk", {true});
}

int take_unigram_step(PublishedConfig& step, const std::string& type, TokenParts& parts, int last) {
  const char* const order[] = {"Precompiled", "Strip", "Replace", "Prepend", "Replace"};
  int number = 0;
  const bool runs = type == "Replace" && last < 2 && has_pattern(step, "Regex");
  if (type == "Replace") {
    number = runs ? 2 : 4;
  } else {
    while (number < 4 && type != order[number]) ++number;
  }
  if (number == 4 && type != "Replace") throw step.refused("type", type + " is not supported with Unigram");
  if (number <= last) throw step.refused("type", type + " is not supported after the step before it");
  if (number == 0) take_changes(step, parts);
  if (number == 1) take_strip(step, parts);
  if (number == 2) take_runs_of_spaces(step, parts);
  if (number == 3) take_prepend(step, parts);
  if (number == 4) take_space_marks(step, parts);
  return number;
}

void refuse_changed_name(const PublishedConfig& root, const std::string& name, const TokenParts& parts) {
  bool changed = (parts.rules & rule_strip_right) != 0 && name.ends_with(' ');
  changed =
      changed || ((parts.rules & (rule_squeeze_to_space | rule_squeeze_to_mark)) != 0 && name.find("  ") != name.npos);
  for (std::size_t at = 0; at < name.size() && !parts.changes.empty(); ++at) {
    for (std::size_t size = 1; size <= longest_change_key; ++size) {
      changed = changed || parts.changes.count(name.substr(at, size)) != 0;
    }
  }
  if (changed) throw root.refused("added_tokens", name + ": the normalizer changes it, which is not supported");
}

}  // namespace heed::tools
