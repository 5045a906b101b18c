// SPDX-License-Identifier: MIT
#include "tokenizers/gguf_tokenizer.hpp"

#include <algorithm>
#include <cctype>

#include "architectures/published_config.hpp"
#include "tokenizers/gguf_vocabulary.hpp"
#include "tokenizers/published_tokenizer.hpp"
#include "tokenizers/score_merges.hpp"
#include "tokenizers/text_members.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

constexpr const char* model_key = "tokenizer.ggml.model";
constexpr const char* score_key = "tokenizer.ggml.scores";
constexpr const char* merge_key = "tokenizer.ggml.merges";
constexpr const char* pre_key = "tokenizer.ggml.pre";

/// What tokenizer.ggml.pre names, as llama.cpp reads it.
struct NamedSplitter {
  const char* name;
  Splitter splitter;
  bool whole_words;  ///< ignore_merges
  bool begins;       ///< add_bos_token, where no key says so
  bool composes;     ///< NFC in the tokenizer.json of these models, which llama.cpp leaves out
};

constexpr NamedSplitter named_splitters[] = {{"gpt-2", splitter_gpt2, false, false, false},
                                             {"phi-2", splitter_gpt2, false, false, false},
                                             {"mpt", splitter_gpt2, false, false, true},
                                             {"olmo", splitter_gpt2, false, false, true},
                                             {"llama3", splitter_llama3, true, true, false},
                                             {"llama-v3", splitter_llama3, true, true, false},
                                             {"llama-bpe", splitter_llama3, true, true, false},
                                             {"smaug-bpe", splitter_llama3, false, false, false},
                                             {"dbrx", splitter_llama3, false, false, false},
                                             {"qwen2", splitter_qwen2, false, false, true},
                                             {"deepseek-r1-qwen", splitter_qwen2, false, false, false},
                                             {"smollm", splitter_digits, false, false, false},
                                             {"starcoder", splitter_digits, false, false, false},
                                             {"refact", splitter_digits, false, false, false},
                                             {"command-r", splitter_digits, false, false, true},
                                             {"gpt-4o", splitter_gpt4o, false, false, false},
                                             {"llama4", splitter_gpt4o, false, false, false},
                                             {"tekken", splitter_tekken, true, true, false},
                                             {"deepseek-v3", splitter_deepseek3, false, false, false},
                                             {"hunyuan-dense", splitter_deepseek3, false, false, false}};

/// The keys that are neither lists nor texts for people.
PublishedConfig small_keys(const Gguf& file) {
  nlohmann::json keys = nlohmann::json::object();
  for (const auto& [key, value] : file.others()) {
    const bool large =
        key == gguf_token_key || key == gguf_type_key || key == score_key || key == merge_key || key == model_key;
    if (!key.starts_with("tokenizer.") || large || key.starts_with("tokenizer.chat_template")) continue;
    GgufCursor cursor(file.name(), value.bytes);
    keys[key] = take_gguf_value(cursor, value.type, true, key);
  }
  PublishedConfig config(std::move(keys), file.name());
  config.leave({"tokenizer.ggml.token_type_count", "tokenizer.ggml.padding_token_id", "tokenizer.ggml.mask_token_id",
                "tokenizer.ggml.seperator_token_id", "tokenizer.ggml.cls_token_id", "tokenizer.ggml.fim_pre_token_id",
                "tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.fim_pad_token_id",
                "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id", "tokenizer.ggml.prefix_token_id",
                "tokenizer.ggml.suffix_token_id", "tokenizer.ggml.middle_token_id"});
  config.require("tokenizer.ggml.add_sep_token", {false});
  config.require("tokenizer.ggml.remove_extra_whitespaces", {false});
  return config;
}

/// The number of a token, which some key says.
std::optional<std::uint32_t> take_token(PublishedConfig& keys, const char* name, const GgufVocabulary& vocabulary) {
  const std::string key = "tokenizer.ggml." + std::string(name) + "_token_id";
  const std::optional<nlohmann::json> value = keys.take(key.c_str());
  if (!value) return {};
  const bool known = value->is_number_unsigned() && value->get<std::uint64_t>() < vocabulary.tokens.size();
  if (!known) throw keys.refused(key, value->dump() + ": there is no such token");
  return value->get<std::uint32_t>();
}

/// Phi-3, by the name of the model, as llama.cpp knows it.
bool is_phi3(const Gguf& file) {
  const auto found = file.others().find("general.name");
  if (found == file.others().end()) return false;
  std::string name(gguf_text(found->second, file.name(), "general.name"));
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return name.find("phi-3") != name.npos || name.find("phi3") != name.npos;
}

/// Phi-3's special tokens take the white space after them.
OtherTokens tokens_of(const Gguf& file, const GgufVocabulary& vocabulary) {
  OtherTokens tokens{vocabulary.tokens};
  const bool phi3 = is_phi3(file);
  for (std::uint32_t i = 0; i < vocabulary.tokens.size(); ++i) {
    if (!vocabulary.is_added(i)) continue;
    AddedToken& added = tokens.added.emplace_back(AddedToken{.number = i, .name = std::string(vocabulary.tokens[i])});
    added.special = vocabulary.is_special(i);
    added.normalized = false;
    added.strip_right = phi3 && added.name != "<unk>" && added.name != "<s>" && added.name != "<|endoftext|>";
  }
  return tokens;
}

/// BPE of characters: spaces are U+2581, one of them in front of each part of text.
TokenParts take_characters(const Gguf& file, PublishedConfig& keys, const GgufVocabulary& vocabulary) {
  const bool prepends = keys.take_flag("tokenizer.ggml.add_space_prefix", true);
  keys.leave({pre_key, merge_key});
  const std::uint32_t unknown = take_token(keys, "unknown", vocabulary).value_or(0);
  nlohmann::json steps{{{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", space_mark}}};
  nlohmann::json back{{{"type", "Replace"}, {"pattern", {{"String", space_mark}}}, {"content", " "}},
                      {{"type", "ByteFallback"}},
                      {{"type", "Fuse"}}};
  if (prepends) {
    steps.push_back({{"type", "Prepend"}, {"prepend", space_mark}});
    back.push_back({{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}});
  }
  nlohmann::json root{{"model",
                       {{"type", "BPE"},
                        {"unk_token", vocabulary.tokens[unknown]},
                        {"byte_fallback", true},
                        {"fuse_unk", true},
                        {"merges", nlohmann::json::array()}}},
                      {"normalizer", {{"type", "Sequence"}, {"normalizers", std::move(steps)}}},
                      {"decoder", {{"type", "Sequence"}, {"decoders", std::move(back)}}}};
  TokenParts parts = read_tokenizer_members(PublishedConfig(std::move(root), file.name() + ": tokenizer.ggml"),
                                            tokens_of(file, vocabulary));
  parts.merges = merges_by_score(vocabulary, gguf_numbers_of(file, score_key, vocabulary.tokens.size()),
                                 file.name() + ": " + gguf_token_key);
  return parts;
}

/// BPE of bytes, in GPT-2's alphabet.
TokenParts take_bytes(const Gguf& file, PublishedConfig& keys, const GgufVocabulary& vocabulary, bool& begins) {
  keys.leave({"tokenizer.ggml.unknown_token_id", score_key});  // every byte is known
  keys.require("tokenizer.ggml.add_space_prefix", {false});
  const std::string name = keys.take_word(pre_key, "");
  const NamedSplitter* known = nullptr;
  for (const NamedSplitter& one : named_splitters) {
    if (name == one.name) known = &one;
  }
  if (known == nullptr) throw keys.refused(pre_key, (name.empty() ? "nothing" : name) + " is not supported");
  begins = known->begins;
  if (std::count(vocabulary.types.begin(), vocabulary.types.end(), GgufTokenType::byte) != 0) {
    throw keys.refused(gguf_type_key, "tokens of bytes are not supported with gpt2");
  }
  nlohmann::json root{{"model",
                       {{"type", "BPE"},
                        {"ignore_merges", known->whole_words},
                        {"merges", gguf_texts(gguf_other(file, merge_key), file.name(), merge_key)}}},
                      {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}},
                      {"decoder", {{"type", "ByteLevel"}}}};
  if (known->composes) root["normalizer"] = {{"type", "NFC"}};
  TokenParts parts = read_tokenizer_members(PublishedConfig(std::move(root), file.name() + ": tokenizer.ggml"),
                                            tokens_of(file, vocabulary));
  parts.splitter = known->splitter;
  return parts;
}

/// Tokens before and after a text, and those at which generation ends.
void take_ends(PublishedConfig& keys, const GgufVocabulary& vocabulary, bool characters, bool begins,
               TokenParts& parts) {
  const auto usual = [&](std::uint32_t token) {
    return characters && token < vocabulary.tokens.size() ? std::optional(token) : std::nullopt;
  };
  std::optional<std::uint32_t> first = take_token(keys, "bos", vocabulary);
  std::optional<std::uint32_t> last = take_token(keys, "eos", vocabulary);
  if (!first) first = usual(1);
  if (!last) last = usual(2);
  const auto add = [&](const char* key, bool by_default, std::optional<std::uint32_t> token,
                       std::vector<std::uint32_t>& list) {
    if (!keys.take_flag(key, by_default)) return;
    if (!token) throw keys.refused(key, "no key says which token that is");
    list.push_back(*token);
  };
  add("tokenizer.ggml.add_bos_token", begins, first, parts.begin);
  add("tokenizer.ggml.add_eos_token", false, last, parts.end);
  for (const std::optional<std::uint32_t> end :
       {last, take_token(keys, "eot", vocabulary), take_token(keys, "eom", vocabulary)}) {
    if (end && std::count(parts.stops.begin(), parts.stops.end(), *end) == 0) parts.stops.push_back(*end);
  }
  std::string note = parts.stops.empty() ? "no token ends generation" : "generation ends at ";
  for (const std::uint32_t token : parts.stops) note += std::to_string(token) + " " + parts.tokens[token].bytes + ", ";
  parts.notes.push_back(note + (parts.stops.empty() ? "" : "as the file says"));
}

}  // namespace

bool has_gguf_tokenizer(const Gguf& file) {
  const auto first = file.others().lower_bound("tokenizer.");
  return first != file.others().end() && first->first.starts_with("tokenizer.");
}

TokenParts read_gguf_tokenizer(const Gguf& file) {
  const std::string model(gguf_text(gguf_other(file, model_key), file.name(), model_key));
  const bool characters = model == "llama";
  if (!characters && model != "gpt2") {
    throw Failure(file.name() + ": " + model_key + ": " + model + " is not supported, but llama and gpt2");
  }
  PublishedConfig keys = small_keys(file);
  const GgufVocabulary vocabulary = read_gguf_vocabulary(file);
  bool begins = true;
  TokenParts parts = characters ? take_characters(file, keys, vocabulary) : take_bytes(file, keys, vocabulary, begins);
  take_ends(keys, vocabulary, characters, begins, parts);
  keys.finish();
  for (std::uint32_t i = 0; i < parts.tokens.size(); ++i) {
    if (vocabulary.types[i] == GgufTokenType::unused) parts.tokens[i].marks |= mark_special;
  }
  return parts;
}

}  // namespace heed::tools
