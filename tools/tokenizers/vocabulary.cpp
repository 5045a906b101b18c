// SPDX-License-Identifier: MIT
#include "tokenizers/vocabulary.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "support/characters.hpp"
#include "tokenizers/unigram_members.hpp"

namespace heed::tools {

using namespace heed::detail;
using Names = std::unordered_map<std::string_view, std::uint32_t>;  ///< of tokens that stay where they are

namespace {

/// Names of added tokens are looked for at each byte of a text.
constexpr std::size_t longest_added_name = 255;

/// Words of BERT's kind are tried with each of their beginnings.
constexpr std::uint32_t longest_tried = 256;

/// Room for every number up to the greatest, of which a file may leave some out.
void make_room(TokenParts& parts, std::uint32_t greatest, std::size_t tokens, const PublishedConfig& where,
               const char* member) {
  constexpr std::size_t few = 65536;
  if (greatest >= few + 4 * tokens) {
    throw where.refused(member, "token " + std::to_string(greatest) + " is one of " + std::to_string(tokens) +
                                    " alone: so great a number is not supported");
  }
  if (greatest >= parts.tokens.size()) parts.tokens.resize(std::size_t{greatest} + 1);
}

std::uint32_t take_number(const nlohmann::json& value, const PublishedConfig& where, const std::string& member) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= max_text_tokens) {
    throw where.refused(member, "the number of a token is needed");
  }
  return value.get<std::uint32_t>();
}

Names names_of(const TokenParts& parts) {
  Names names;
  for (std::uint32_t token = 0; token < parts.tokens.size(); ++token) {
    if (parts.tokens[token].marks != 0) names.emplace(parts.tokens[token].bytes, token);
  }
  return names;
}

Names take_pieces(PublishedConfig& model, TokenParts& parts) {
  const std::optional<nlohmann::json> vocabulary = model.take("vocab");
  if (!vocabulary || !vocabulary->is_object()) throw model.refused("vocab", "an object of tokens is needed");
  if (vocabulary->empty()) throw model.refused("vocab", "there are no tokens");
  std::uint32_t greatest = 0;
  for (const auto& [name, value] : vocabulary->items())
    greatest = std::max(greatest, take_number(value, model, "vocab"));
  make_room(parts, greatest, vocabulary->size(), model, "vocab");
  for (const auto& [name, value] : vocabulary->items()) {
    const auto token = value.get<std::uint32_t>();
    TokenPart& part = parts.tokens[token];
    if (part.marks != 0) throw model.refused("vocab", "two tokens have the number " + std::to_string(token));
    if (name.empty()) throw model.refused("vocab", "token " + std::to_string(token) + " is empty");
    part = {name, mark_present, true};
  }
  return names_of(parts);
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
  std::optional<nlohmann::json> merges = model.take("merges");
  if (!merges || !merges->is_array()) throw model.refused("merges", "a list is needed");
  const auto find = [&](const std::string& name) {
    const auto found = names.find(name);
    if (found == names.end()) throw model.refused("merges", "there is no token " + name);
    return found->second;
  };
  parts.merges.reserve(merges->size());
  for (nlohmann::json& merge : *merges) {
    const auto [left, right] = pair_of(merge, model);
    const auto rank = static_cast<std::uint32_t>(parts.merges.size());
    parts.merges.push_back({find(left), find(right), rank, find(left + right)});
    merge = nullptr;  // four times as large as what it has become
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(parts.merges.size());
  for (const auto& merge : parts.merges) pairs.emplace_back(merge[0], merge[1]);
  std::sort(pairs.begin(), pairs.end());
  const auto twice = std::adjacent_find(pairs.begin(), pairs.end());
  if (twice == pairs.end()) return;
  throw model.refused("merges",
                      parts.tokens[twice->first].bytes + " " + parts.tokens[twice->second].bytes + " is there twice");
}

Names take_texts(TokenParts& parts, std::span<const std::string_view> texts) {
  parts.tokens.reserve(texts.size());
  for (const std::string_view text : texts) parts.tokens.push_back({std::string(text), mark_present, true});
  return names_of(parts);
}

void take_pairs_model(PublishedConfig& model, TokenParts& parts, std::span<const std::string_view> texts) {
  const Names names = texts.empty() ? take_pieces(model, parts) : take_texts(parts, texts);
  take_merges(model, names, parts);
  model.require("dropout", {0.0});
  model.require("continuing_subword_prefix", {""});
  model.require("end_of_word_suffix", {""});
  if (model.take_flag("fuse_unk", false)) parts.rules |= rule_fuse_unknown;
  if (model.take_flag("byte_fallback", false)) parts.rules |= rule_byte_fallback;
  if (model.take_flag("ignore_merges", false)) parts.rules |= rule_whole_words;
  const std::optional<nlohmann::json> unknown = model.take("unk_token");
  if (!unknown) return;
  const auto found = unknown->is_string() ? names.find(unknown->get_ref<const std::string&>()) : names.end();
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
  const auto longer = [](const TokenPart& part) { return part.bytes.size() > longest_tried; };
  if (parts.max_characters > longest_tried && std::any_of(parts.tokens.begin(), parts.tokens.end(), longer)) {
    throw model.refused("max_input_chars_per_word",
                        std::to_string(parts.max_characters) + " is not supported, but 256, with tokens of more bytes");
  }
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

void take_model(PublishedConfig& model, TokenParts& parts, std::span<const std::string_view> texts) {
  if (parts.kind == TokenizerKind::word_pieces) {
    take_word_model(model, parts);
  } else if (parts.kind == TokenizerKind::unigram) {
    take_unigram_model(model, parts);
  } else {
    take_pairs_model(model, parts, texts);
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

namespace {

/// The added tokens of a file, one after another.
class AddedReader {
 public:
  explicit AddedReader(TokenParts& parts)
      : parts_(parts), names_(names_of(parts)), next_(static_cast<std::uint32_t>(names_.size())) {}

  void take(const AddedToken& added, const PublishedConfig& where) {
    check(where, added.number, added.name);
    TokenPart& part = parts_.tokens[added.number];
    const bool first = added_.insert(added.number).second;
    if (part.marks == 0) part = {added.name, mark_present, false};
    if (added.special && first) part.marks |= mark_special;
    AddedPart taken{added.number, added.name, 0, added.name};
    if (added.single_word) taken.rules |= added_single_word;
    if (added.strip_left) taken.rules |= added_strip_left;
    if (added.strip_right) taken.rules |= added_strip_right;
    (added.normalized ? parts_.normalized : parts_.raw).push_back(std::move(taken));
  }

  /// Version 0.23 of the library whose files these are counts on from the vocabulary, whatever the file says.
  void note() const {
    if (renumbered_ == 0) return;
    parts_.notes.push_back("added_tokens: " + std::to_string(renumbered_) +
                           " have the numbers that the file says, as " + example_ +
                           ", which Hugging Face's tokenizers 0.23 does not take");
  }

 private:
  void check(const PublishedConfig& added, std::uint32_t token, const std::string& name) {
    const TokenPart& part = parts_.tokens[token];
    const bool known = part.marks != 0 && !added_.contains(token);
    if (known && part.bytes != name) {
      throw added.refused("id", std::to_string(token) + " is " + part.bytes + ", and not " + name);
    }
    const auto found = names_.find(name);
    if (found != names_.end() && found->second != token) {
      throw added.refused("id", name + " is token " + std::to_string(found->second) + " of the vocabulary");
    }
    if (!seen_.insert(name).second) throw added.refused("content", name + " is there twice");
    if (name.find("\xEF\xBF\xBD") != name.npos) throw added.refused("content", name + ": U+FFFD is not supported");
    if (name.size() > longest_added_name) {
      throw added.refused("content", "a token of " + std::to_string(name.size()) + " bytes is not supported, but of " +
                                         std::to_string(longest_added_name));
    }
    if (found != names_.end() || token == next_++) return;
    if (renumbered_++ == 0) example_ = std::to_string(token) + " " + name;
  }

  TokenParts& parts_;
  Names names_;         ///< of the vocabulary
  std::uint32_t next_;  ///< number that the library gives
  std::unordered_set<std::string> seen_{};
  std::unordered_set<std::uint32_t> added_{};
  std::size_t renumbered_ = 0;
  std::string example_{};
};

AddedToken take_added(PublishedConfig& added) {
  const std::optional<nlohmann::json> number = added.take("id");
  AddedToken token;
  token.name = added.take_word("content", "");
  if (!number || token.name.empty()) throw added.refused("content", "a token and its number are needed");
  token.number = take_number(*number, added, "id");
  token.single_word = added.take_flag("single_word", false);
  token.strip_left = added.take_flag("lstrip", false);
  token.strip_right = added.take_flag("rstrip", false);
  token.normalized = added.take_flag("normalized", true);
  token.special = added.take_flag("special", false);
  added.finish();
  return token;
}

}  // namespace

void take_added_tokens(PublishedConfig& root, TokenParts& parts, const std::vector<AddedToken>& others) {
  const std::optional<nlohmann::json> list = root.take("added_tokens");
  if (list && !list->is_array()) throw root.refused("added_tokens", "a list is needed");
  static const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json& entries = list ? *list : none;
  std::uint32_t greatest = 0;
  for (const nlohmann::json& entry : entries) {
    if (!entry.is_object()) throw root.refused("added_tokens", "an object is needed for each");
    const auto number = entry.find("id");
    if (number != entry.end()) greatest = std::max(greatest, take_number(*number, root, "added_tokens: id"));
  }
  make_room(parts, greatest, parts.tokens.size() + entries.size(), root, "added_tokens");
  AddedReader reader(parts);
  for (const nlohmann::json& entry : entries) {
    PublishedConfig added(entry, root.what() + ": added_tokens");
    reader.take(take_added(added), added);
  }
  for (const AddedToken& added : others) reader.take(added, root);
  reader.note();
}

void show_normalized(TokenParts& parts) {
  for (const AddedPart& added : parts.normalized) {
    TokenPart& part = parts.tokens[added.token];
    if (added.name == added.content || part.bytes != added.content) continue;
    if (part.in_text && characters_of(added.content) == 1) {
      parts.notes.push_back("added_tokens: " + added.content +
                            " decodes as it is written: it is a character of text, too");
      continue;
    }
    part.bytes = added.name;
    part.in_text = false;
  }
}

std::uint32_t token_named(const TokenParts& parts, const std::string& name, const PublishedConfig& where,
                          const char* member) {
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    for (const AddedPart& added : *list) {
      if (added.content == name) return added.token;
    }
  }
  for (std::uint32_t token = 0; token < parts.tokens.size(); ++token) {
    if (parts.tokens[token].marks != 0 && parts.tokens[token].bytes == name) return token;
  }
  throw where.refused(member, "there is no token " + name);
}

}  // namespace heed::tools
