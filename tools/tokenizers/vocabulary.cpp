// SPDX-License-Identifier: MIT
#include "tokenizers/vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "tokenizers/unigram_members.hpp"

namespace heed::tools {

using namespace heed::detail;
using Names = std::unordered_map<std::string, std::uint32_t>;

namespace {

TokenPart& token_at(TokenParts& parts, std::uint32_t token) {
  if (token >= parts.tokens.size()) parts.tokens.resize(std::size_t{token} + 1);
  return parts.tokens[token];
}

std::uint32_t take_number(const nlohmann::json& value, const PublishedConfig& where, const std::string& member) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= max_text_tokens) {
    throw where.refused(member, "the number of a token is needed");
  }
  return value.get<std::uint32_t>();
}

Names take_pieces(PublishedConfig& model, TokenParts& parts) {
  const std::optional<nlohmann::json> vocabulary = model.take("vocab");
  if (!vocabulary || !vocabulary->is_object()) throw model.refused("vocab", "an object of tokens is needed");
  Names names;
  for (const auto& [name, value] : vocabulary->items()) {
    const std::uint32_t token = take_number(value, model, "vocab");
    TokenPart& part = token_at(parts, token);
    if (part.marks != 0) throw model.refused("vocab", "two tokens have the number " + std::to_string(token));
    if (name.empty()) throw model.refused("vocab", "token " + std::to_string(token) + " is empty");
    part = {name, mark_present, true};
    names.emplace(name, token);
  }
  if (names.empty()) throw model.refused("vocab", "there are no tokens");
  return names;
}

std::pair<std::string, std::string> pair_of(const nlohmann::json& merge, const PublishedConfig& model) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
    return {merge[0].get<std::string>(), merge[1].get<std::string>()};
  }
  if (merge.is_string()) {
    const std::string text = merge.get<std::string>();
    const std::size_t space = text.find(' ');
    if (space != text.npos && text.find(' ', space + 1) == text.npos) {
      return {text.substr(0, space), text.substr(space + 1)};
    }
  }
  throw model.refused("merges", "two tokens are needed in each");
}

void take_merges(PublishedConfig& model, const Names& names, TokenParts& parts) {
  const std::optional<nlohmann::json> merges = model.take("merges");
  if (!merges || !merges->is_array()) throw model.refused("merges", "a list is needed");
  const auto find = [&](const std::string& name) {
    const auto found = names.find(name);
    if (found == names.end()) throw model.refused("merges", "there is no token " + name);
    return found->second;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> seen;
  for (const nlohmann::json& merge : *merges) {
    const auto [left, right] = pair_of(merge, model);
    const std::pair<std::uint32_t, std::uint32_t> both{find(left), find(right)};
    if (!seen.emplace(both, true).second) throw model.refused("merges", left + " " + right + " is there twice");
    const auto rank = static_cast<std::uint32_t>(parts.merges.size());
    parts.merges.push_back({both.first, both.second, rank, find(left + right)});
  }
}

void take_pairs_model(PublishedConfig& model, TokenParts& parts) {
  const Names names = take_pieces(model, parts);
  take_merges(model, names, parts);
  model.require("dropout", {0.0});
  model.require("continuing_subword_prefix", {""});
  model.require("end_of_word_suffix", {""});
  if (model.take_flag("fuse_unk", false)) parts.rules |= rule_fuse_unknown;
  if (model.take_flag("byte_fallback", false)) parts.rules |= rule_byte_fallback;
  if (model.take_flag("ignore_merges", false)) parts.rules |= rule_whole_words;
  const std::optional<nlohmann::json> unknown = model.take("unk_token");
  if (!unknown) return;
  const auto found = unknown->is_string() ? names.find(unknown->get<std::string>()) : names.end();
  if (found == names.end()) throw model.refused("unk_token", "there is no such token");
  parts.unknown = found->second;
}

void take_word_model(PublishedConfig& model, TokenParts& parts) {
  const Names names = take_pieces(model, parts);
  model.require("continuing_subword_prefix", {"##"});
  parts.max_characters = model.take_count("max_input_chars_per_word", 100);
  const std::string unknown = model.take_word("unk_token", "[UNK]");
  const auto found = names.find(unknown);
  if (found == names.end()) throw model.refused("unk_token", "there is no token " + unknown);
  parts.unknown = found->second;
}

/// A byte without a token of its own is its character's, as Gemma's tab is: such a character needs no bytes.
unsigned take_characters_as_bytes(TokenParts& parts) {
  unsigned taken = 0;
  for (std::uint32_t i = 0; i < parts.tokens.size(); ++i) {
    const TokenPart& token = parts.tokens[i];
    if (!token.in_text || token.bytes.size() != 1) continue;
    const auto byte = static_cast<unsigned char>(token.bytes.front());
    if (byte >= 0x80 || parts.byte_ids[byte] != no_token) continue;
    parts.byte_ids[byte] = i;
    ++taken;
  }
  return taken;
}

/// GPT-2's alphabet: printable bytes are themselves, the others the characters from U+0100 on.
std::map<std::string, char> byte_alphabet() {
  std::map<std::string, char> alphabet;
  std::uint32_t next = 0x100;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
    const std::uint32_t point = printable ? byte : next++;
    std::string name(1, static_cast<char>(point));
    if (point >= 0x80) name = {static_cast<char>(0xC0 | point >> 6), static_cast<char>(0x80 | (point & 0x3F))};
    alphabet.emplace(name, static_cast<char>(byte));
  }
  return alphabet;
}

/// The bytes that a name spells in the alphabet; nothing if it has other characters.
std::optional<std::string> spelled(const std::map<std::string, char>& alphabet, const std::string& name) {
  std::string bytes;
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = static_cast<unsigned char>(name[i]) < 0x80 ? 1 : 2;
    const auto found = alphabet.find(name.substr(i, length));
    if (found == alphabet.end()) return std::nullopt;
    bytes += found->second;
    i += length;
  }
  return bytes;
}

/// The byte that a name such as <0x0A> means.
std::optional<unsigned> named_byte(const std::string& name) {
  if (name.size() != 6 || !name.starts_with("<0x") || name.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const char* const digits = name.data() + 3;
  const auto [end, error] = std::from_chars(digits, digits + 2, byte, 16);
  if (error != std::errc{} || end != digits + 2) return std::nullopt;
  return byte;
}

std::string usual_name(unsigned byte) {
  constexpr const char* digits = "0123456789ABCDEF";
  return std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">";
}

}  // namespace

void take_model(PublishedConfig& model, TokenParts& parts) {
  if (parts.kind == TokenizerKind::word_pieces) {
    take_word_model(model, parts);
  } else if (parts.kind == TokenizerKind::unigram) {
    take_unigram_model(model, parts);
  } else {
    take_pairs_model(model, parts);
  }
  model.finish();
}

void set_bytes(TokenParts& parts, bool byte_names, const std::string& what) {
  parts.byte_ids.fill(no_token);
  const std::map<std::string, char> alphabet = byte_alphabet();
  unsigned named = 0;
  for (std::uint32_t i = 0; i < parts.tokens.size(); ++i) {
    TokenPart& token = parts.tokens[i];
    if (token.marks == 0 || parts.kind == TokenizerKind::word_pieces) continue;
    if (parts.kind == TokenizerKind::bytes) {
      const std::optional<std::string> bytes = spelled(alphabet, token.bytes);
      if (!bytes) token.in_text = false;
      if (bytes) token.bytes = *bytes;
      if (bytes && bytes->size() == 1 && token.in_text) parts.byte_ids[static_cast<unsigned char>(bytes->front())] = i;
      continue;
    }
    const std::optional<unsigned> byte = named_byte(token.bytes);
    if (!byte) continue;
    if (token.in_text && token.bytes == usual_name(*byte)) {
      parts.byte_ids[*byte] = i;
      ++named;
    }
    token.in_text = false;
    if (!byte_names) continue;
    token.bytes = std::string(1, static_cast<char>(*byte));
    token.marks |= mark_byte;
  }
  if ((parts.rules & rule_byte_fallback) == 0) return;
  if (parts.kind == TokenizerKind::bytes) throw Failure(what + ": model.byte_fallback means nothing for bytes");
  if (named != 0 && named < 256 && parts.kind == TokenizerKind::characters) named += take_characters_as_bytes(parts);
  if (named == 0) {
    parts.rules &= ~std::uint32_t{rule_byte_fallback};
    parts.notes.emplace_back("byte_fallback, and no tokens of bytes: what is unknown becomes the unknown token");
  } else if (named < 256) {
    throw Failure(what + ": model.byte_fallback, and tokens of only " + std::to_string(named) + " bytes");
  }
}

void take_added_tokens(PublishedConfig& root, TokenParts& parts) {
  const std::optional<nlohmann::json> list = root.take("added_tokens");
  if (!list) return;
  if (!list->is_array()) throw root.refused("added_tokens", "a list is needed");
  Names names;
  for (std::uint32_t token = 0; token < parts.tokens.size(); ++token) names.emplace(parts.tokens[token].bytes, token);
  for (const nlohmann::json& entry : *list) {
    if (!entry.is_object()) throw root.refused("added_tokens", "an object is needed for each");
    PublishedConfig added(entry, root.what() + ": added_tokens");
    const std::optional<nlohmann::json> number = added.take("id");
    const std::string name = added.take_word("content", "");
    if (!number || name.empty()) throw added.refused("content", "a token and its number are needed");
    const std::uint32_t token = take_number(*number, added, "id");
    TokenPart& part = token_at(parts, token);
    if (part.marks != 0 && part.bytes != name) {
      throw added.refused("id", std::to_string(token) + " is " + part.bytes + ", and not " + name);
    }
    const auto known = names.find(name);
    if (known != names.end() && known->second != token) {
      throw added.refused("id", name + " is token " + std::to_string(known->second) + " of the vocabulary");
    }
    for (const auto* others : {&parts.raw, &parts.normalized}) {
      for (const AddedPart& other : *others) {
        if (other.name == name) throw added.refused("content", name + " is there twice");
      }
    }
    if (part.marks == 0) part = {name, mark_present, false};
    if (name.find("\xEF\xBF\xBD") != name.npos) throw added.refused("content", name + ": U+FFFD is not supported");
    AddedPart taken{token, name, 0};
    if (added.take_flag("single_word", false)) taken.rules |= added_single_word;
    if (added.take_flag("lstrip", false)) taken.rules |= added_strip_left;
    if (added.take_flag("rstrip", false)) taken.rules |= added_strip_right;
    const bool normalized = added.take_flag("normalized", true);
    if (added.take_flag("special", false)) part.marks |= mark_special;
    added.finish();
    (normalized ? parts.normalized : parts.raw).push_back(taken);
  }
}

std::uint32_t token_named(const TokenParts& parts, const std::string& name, const PublishedConfig& where,
                          const char* member) {
  for (std::uint32_t token = 0; token < parts.tokens.size(); ++token) {
    if (parts.tokens[token].marks != 0 && parts.tokens[token].bytes == name) return token;
  }
  throw where.refused(member, "there is no token " + name);
}

}  // namespace heed::tools
