// SPDX-License-Identifier: MIT
#include "tokenizers/published_tokenizer.hpp"

#include <map>
#include <string_view>

#include "formats/files.hpp"
#include "tokenizers/text_members.hpp"

namespace heed::tools {

namespace {

/// BPE is of bytes where the text is written with GPT-2's alphabet.
TokenizerKind kind_of(PublishedConfig& model, const nlohmann::json& decoder) {
  const std::string type = model.take_word("type", "");
  if (type == "WordPiece") return TokenizerKind::word_pieces;
  if (type == "Unigram") return TokenizerKind::unigram;
  if (type != "BPE") throw model.refused("type", type + " is not supported, but BPE, Unigram and WordPiece");
  const bool bytes = decoder.is_object() && decoder.value("type", nlohmann::json()) == "ByteLevel";
  return bytes ? TokenizerKind::bytes : TokenizerKind::characters;
}

/// The tokens at which generation ends, as a configuration says; none if it does not.
std::vector<std::uint32_t> stops_of(const std::filesystem::path& file, const TokenParts& parts) {
  const std::optional<std::string> text = read_optional_file(file);
  if (!text) return {};
  PublishedConfig config = PublishedConfig::parse(*text, file.string());
  const std::optional<nlohmann::json> value = config.take("eos_token_id");
  if (!value) return {};
  std::vector<std::uint32_t> stops;
  const nlohmann::json list = value->is_array() ? *value : nlohmann::json::array({*value});
  for (const nlohmann::json& one : list) {
    const std::uint64_t token = one.is_number_unsigned() ? one.get<std::uint64_t>() : ~0ULL;
    if (token >= parts.tokens.size() || parts.tokens[token].marks == 0) {
      throw config.refused("eos_token_id", one.dump() + ": the tokenizer has no such token");
    }
    stops.push_back(static_cast<std::uint32_t>(token));
  }
  return stops;
}

/// The same, as tokenizer_config.json names it.
std::vector<std::uint32_t> named_stop(const std::filesystem::path& file, const TokenParts& parts) {
  const std::optional<std::string> text = read_optional_file(file);
  if (!text) return {};
  PublishedConfig config = PublishedConfig::parse(*text, file.string());
  std::optional<nlohmann::json> value = config.take("eos_token");
  if (value && value->is_object()) value = value->value("content", nlohmann::json());
  if (!value || !value->is_string()) return {};
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    for (const AddedPart& added : *list) {
      if (added.content == value->get<std::string>()) return {added.token};
    }
  }
  throw config.refused("eos_token", value->get<std::string>() + ": the tokenizer has no such added token");
}

}  // namespace

TokenParts read_tokenizer_json(std::string_view text, const std::string& what) {
  return read_tokenizer_members(PublishedConfig::parse(text, what));
}

TokenParts read_tokenizer_members(PublishedConfig root, const OtherTokens& others) {
  const std::string what = root.what();
  TokenParts parts;
  root.require("version", {"1.0"});
  for (const char* member : {"truncation", "padding"}) {
    if (root.take(member)) parts.notes.push_back(std::string(member) + " is left to the caller");
  }
  std::optional<nlohmann::json> members = root.take("model");
  if (!members || !members->is_object()) throw root.refused("model", "is not there, or no object");
  PublishedConfig model(std::move(*members), what + ": model");  // most of the file
  const std::optional<nlohmann::json> decoder = root.take("decoder");
  parts.kind = kind_of(model, decoder.value_or(nlohmann::json()));
  take_model(model, parts, others.texts);
  take_added_tokens(root, parts, others.added);
  take_normalizer(root, parts);
  take_pre_tokenizer(root, parts);
  take_post_processor(root, parts);
  show_normalized(parts);
  PublishedConfig rest({{"decoder", decoder.value_or(nlohmann::json())}}, what);
  const bool byte_names = take_decoder(rest, parts);
  root.finish();
  set_bytes(parts, byte_names, what);
  if ((parts.rules & detail::rule_whole_words) != 0 && parts.kind == TokenizerKind::characters) {
    throw Failure(what + ": model: ignore_merges: true is not supported with BPE of characters");
  }
  return parts;
}

TokenParts read_tokenizer_folder(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer.json";
  const std::optional<std::string> text = read_optional_file(file);
  if (!text) {
    throw Failure(folder.string() + ": there is no tokenizer.json (AutoTokenizer's save_pretrained() writes it)");
  }
  TokenParts parts = read_tokenizer_json(*text, file.string());
  const char* source = "generation_config.json";
  parts.stops = stops_of(folder / source, parts);
  if (parts.stops.empty()) parts.stops = stops_of(folder / (source = "config.json"), parts);
  if (parts.stops.empty()) parts.stops = named_stop(folder / (source = "tokenizer_config.json"), parts);
  if (parts.stops.empty()) {
    parts.notes.emplace_back("no token ends generation");
    return parts;
  }
  std::map<std::uint32_t, std::string_view> names;
  for (const auto* list : {&parts.raw, &parts.normalized}) {
    for (const AddedPart& added : *list) names.emplace(added.token, added.content);
  }
  std::string note = "generation ends at ";
  for (const std::uint32_t token : parts.stops) {
    const auto added = names.find(token);
    const std::string_view name = added == names.end() ? std::string_view(parts.tokens[token].bytes) : added->second;
    note.append(std::to_string(token)).append(" ").append(name).append(", ");
  }
  parts.notes.push_back(note + "as " + source + " says");
  return parts;
}

}  // namespace heed::tools
