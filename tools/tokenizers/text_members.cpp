// SPDX-License-Identifier: MIT
#include "tokenizers/text_members.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "tokenizers/split_members.hpp"
#include "tokenizers/unigram_members.hpp"
#include "tokenizers/vocabulary.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

const char* kind_name(const TokenParts& parts) {
  if (parts.kind == TokenizerKind::unigram) return "Unigram";
  if (parts.kind == TokenizerKind::word_pieces) return "WordPiece";
  return parts.kind == TokenizerKind::bytes ? "byte-level BPE" : "BPE of characters";
}

Failure unknown_step(const PublishedConfig& step, const std::string& type, const TokenParts& parts) {
  return step.refused("type", type + " is not supported with " + kind_name(parts));
}

void set_rule(const PublishedConfig& step, TokenParts& parts, std::uint32_t rule) {
  if ((parts.rules & rule) != 0) throw step.refused("type", "the same is done twice");
  parts.rules |= rule;
}

void take_bert_normalizer(PublishedConfig& step, TokenParts& parts) {
  if (step.take_flag("clean_text", true)) parts.rules |= rule_clean;
  if (step.take_flag("handle_chinese_chars", true)) parts.rules |= rule_ideographs;
  const bool lower = step.take_flag("lowercase", true);
  if (lower) parts.rules |= rule_lower_case;
  const std::optional<nlohmann::json> strip = step.take("strip_accents");
  if (strip && !strip->is_boolean()) throw step.refused("strip_accents", "true or false is needed");
  if (strip ? strip->get<bool>() : lower) parts.rules |= rule_strip_accents;
}

/// Names of added tokens are found in normalized text, and are normalized themselves.
void normalize_names(const PublishedConfig& root, TokenParts& parts) {
  for (AddedPart& added : parts.normalized) {
    const auto strange = [&](char byte) {
      const auto value = static_cast<unsigned char>(byte);
      return value >= 0x80 || (parts.kind == TokenizerKind::word_pieces && (value < 0x20 || value == 0x7F));
    };
    const bool changes =
        !parts.changes.empty() ||
        (parts.rules & (rule_nfc | rule_clean | rule_ideographs | rule_strip_accents | rule_lower_case)) != 0;
    if (parts.kind == TokenizerKind::unigram) refuse_changed_name(root, added.name, parts);
    if (changes && std::any_of(added.name.begin(), added.name.end(), strange)) {
      throw root.refused("added_tokens", added.name + ": normalized is supported for ASCII alone with this normalizer");
    }
    std::string name = (parts.rules & rule_prepend) != 0 ? space_mark : "";
    for (const char byte : added.name) {
      if (byte == ' ' && (parts.rules & rule_replace) != 0) {
        name += space_mark;
      } else if (byte >= 'A' && byte <= 'Z' && (parts.rules & rule_lower_case) != 0) {
        name += static_cast<char>(byte - 'A' + 'a');
      } else {
        name += byte;
      }
    }
    added.name = name;
  }
  // Of two names that became one the later counts, as in the library whose files these are: which is refused here.
  std::unordered_set<std::string_view> seen;
  for (const AddedPart& added : parts.normalized) {
    if (seen.insert(added.name).second) continue;
    throw root.refused("added_tokens", added.name + " is there twice after it is normalized");
  }
}

/// Gemma's, at spaces, of which the normalizer has left none.
void take_space_split(PublishedConfig& step, const TokenParts& parts) {
  const std::string pattern = take_pattern(step, "String");
  if (pattern != " " || (parts.rules & rule_replace) == 0) {
    throw step.refused("pattern", "\"" + pattern + "\" is not supported, but a space that the normalizer replaces");
  }
  const std::string behavior = step.take_word("behavior", "");
  if (behavior != "MergedWithPrevious") {
    throw step.refused("behavior", behavior + " is not supported, but MergedWithPrevious");
  }
  if (step.take_flag("invert", false)) throw step.refused("invert", "true is not supported");
}

void take_byte_level(PublishedConfig& step, TokenParts& parts) {
  const bool prefix = step.take_flag("add_prefix_space", true);
  const bool own = step.take_flag("use_regex", true);
  step.leave({"trim_offsets"});
  if (prefix && parts.splitter != splitter_none)
    throw step.refused("add_prefix_space", "true is not supported after a split");
  const bool digits = parts.splitter == splitter_digits;
  if (digits && !own) throw step.refused("use_regex", "false is not supported after Digits");
  if (own && !digits && parts.splitter != splitter_none) throw step.refused("use_regex", "text is split twice");
  if (prefix) parts.rules |= rule_prefix_space;
  if (own && !digits) parts.splitter = splitter_gpt2;
}

void take_metaspace(PublishedConfig& step, TokenParts& parts) {
  set_rule(step, parts, rule_metaspace);
  step.require("replacement", {space_mark});
  step.leave({"str_rep"});
  const bool prefix = step.take_flag("add_prefix_space", true);
  const std::string scheme = step.take_word("prepend_scheme", prefix ? "always" : "never");
  if (!prefix && scheme != "never")
    throw step.refused("add_prefix_space", "false contradicts prepend_scheme " + scheme);
  if (scheme == "always") {
    parts.rules |= rule_metaspace_always;
  } else if (scheme == "first") {
    parts.rules |= rule_metaspace_first;
  } else if (scheme != "never") {
    throw step.refused("prepend_scheme", scheme + " is not supported, but always, first and never");
  }
  if (step.take_flag("split", true)) parts.rules |= rule_metaspace_split;
}

}  // namespace

bool has_pattern(PublishedConfig step, const char* form) {
  const std::optional<PublishedConfig> pattern = step.take_object("pattern");
  return pattern && pattern->has(form);
}

std::string take_pattern(PublishedConfig& step, const char* form) {
  std::optional<PublishedConfig> pattern = step.take_object("pattern");
  if (!pattern || !pattern->has(form)) throw step.refused("pattern", std::string(form) + " is needed");
  std::string text = pattern->take_word(form, "");
  pattern->finish();
  return text;
}

void take_prepend(PublishedConfig& step, TokenParts& parts) {
  set_rule(step, parts, rule_prepend);
  const std::string prepended = step.take_word("prepend", "");
  if (prepended != space_mark) throw step.refused("prepend", prepended + " is not supported, but U+2581");
}

void take_space_marks(PublishedConfig& step, TokenParts& parts) {
  set_rule(step, parts, rule_replace);
  const std::string pattern = take_pattern(step, "String");
  const std::string content = step.take_word("content", "");
  if (pattern != " " || content != space_mark) {
    throw step.refused(
        "content", "\"" + pattern + "\" by \"" + content + "\" is not supported, but \" \" by \"" + space_mark + "\"");
  }
}

std::vector<PublishedConfig> take_steps(PublishedConfig& root, const char* member, const char* sequence) {
  std::optional<PublishedConfig> whole = root.take_object(member);
  if (!whole) return {};
  std::vector<PublishedConfig> steps;
  if (!whole->has(sequence)) return {*whole};
  whole->require("type", {"Sequence"});
  const std::optional<nlohmann::json> list = whole->take(sequence);
  whole->finish();
  if (!list || !list->is_array()) throw whole->refused(sequence, "a list is needed");
  for (const nlohmann::json& element : *list) {
    if (!element.is_object()) throw whole->refused(sequence, "an object is needed for each");
    steps.emplace_back(element, whole->what());
  }
  return steps;
}

void take_normalizer(PublishedConfig& root, TokenParts& parts) {
  int last = -1;
  for (PublishedConfig& step : take_steps(root, "normalizer", "normalizers")) {
    const std::string type = step.take_word("type", "");
    if (parts.kind == TokenizerKind::unigram) {
      last = take_unigram_step(step, type, parts, last);
    } else if (type == "Prepend" && parts.kind == TokenizerKind::characters) {
      take_prepend(step, parts);
    } else if (type == "Replace" && parts.kind == TokenizerKind::characters) {
      take_space_marks(step, parts);
    } else if (type == "NFC" && parts.kind == TokenizerKind::bytes) {
      set_rule(step, parts, rule_nfc);
    } else if (type == "BertNormalizer" && parts.kind == TokenizerKind::word_pieces) {
      take_bert_normalizer(step, parts);
    } else {
      throw unknown_step(step, type, parts);
    }
    step.finish();
  }
  normalize_names(root, parts);
}

void take_pre_tokenizer(PublishedConfig& root, TokenParts& parts) {
  const bool unigram = parts.kind == TokenizerKind::unigram;
  const bool characters = parts.kind == TokenizerKind::characters || unigram;
  std::vector<PublishedConfig> steps = take_steps(root, "pre_tokenizer", "pretokenizers");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    PublishedConfig& step = steps[i];
    const std::string type = step.take_word("type", "");
    if (type == "Split" && parts.kind == TokenizerKind::bytes && i == 0) {
      i += take_splits(steps, parts) - 1;
    } else if (type == "Digits" && parts.kind == TokenizerKind::bytes && i == 0 && steps.size() == 2) {
      if (!step.take_flag("individual_digits", false)) throw step.refused("individual_digits", "true is needed");
      parts.splitter = splitter_digits;
    } else if (type == "ByteLevel" && parts.kind == TokenizerKind::bytes && i + 1 == steps.size()) {
      take_byte_level(step, parts);
    } else if (type == "Split" && parts.kind == TokenizerKind::characters && steps.size() == 1) {
      take_space_split(step, parts);
    } else if (type == "WhitespaceSplit" && unigram && i == 0) {
      parts.rules |= rule_split_spaces;
    } else if (type == "Metaspace" && characters && i + 1 == steps.size() &&
               (i == 0 || (parts.rules & rule_split_spaces) != 0)) {
      take_metaspace(step, parts);
    } else if (type == "BertPreTokenizer" && steps.size() == 1 && parts.kind == TokenizerKind::word_pieces) {
      parts.splitter = splitter_none;
    } else {
      throw unknown_step(step, type, parts);
    }
    step.finish();
  }
  if ((parts.rules & rule_split_spaces) != 0 && (parts.rules & rule_metaspace_first) != 0) {
    throw root.refused("pre_tokenizer", "prepend_scheme: first is not supported after WhitespaceSplit");
  }
  if (steps.empty() && !characters) {
    throw root.refused("pre_tokenizer", std::string("none is not supported with ") + kind_name(parts));
  }
}

}  // namespace heed::tools
