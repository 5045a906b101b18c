// SPDX-License-Identifier: MIT
#include <map>

#include "tokenizers/text_members.hpp"
#include "tokenizers/vocabulary.hpp"

namespace heed::tools {

using namespace heed::detail;

namespace {

/// "sep" or "cls": a token and its number.
std::uint32_t take_pair(PublishedConfig& step, const char* member, const TokenParts& parts) {
  const std::optional<nlohmann::json> pair = step.take(member);
  if (!pair || !pair->is_array() || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_number_unsigned()) {
    throw step.refused(member, "a token and its number are needed");
  }
  const std::uint32_t token = token_named(parts, (*pair)[0].get<std::string>(), step, member);
  if ((*pair)[1].get<std::uint64_t>() != token) throw step.refused(member, "its number is another in the vocabulary");
  return token;
}

/// The tokens of a special token of a template.
std::vector<std::uint32_t> take_special(PublishedConfig& specials, const std::string& name, const TokenParts& parts) {
  std::optional<PublishedConfig> special = specials.take_object(name.c_str());
  if (!special) throw specials.refused(name, "is not there");
  special->leave({"id", "tokens"});
  const std::optional<std::vector<double>> numbers = special->take_numbers("ids");
  if (!numbers) throw special->refused("ids", "a list of numbers is needed");
  special->finish();
  std::vector<std::uint32_t> tokens;
  for (const double number : *numbers) {
    const auto token = static_cast<std::uint32_t>(number);
    if (number < 0 || static_cast<double>(token) != number || token >= parts.tokens.size() ||
        parts.tokens[token].marks == 0) {
      throw special->refused("ids", "there is no such token");
    }
    tokens.push_back(token);
  }
  return tokens;
}

void take_template(PublishedConfig& step, TokenParts& parts) {
  step.leave({"pair"});
  const std::optional<nlohmann::json> single = step.take("single");
  const std::optional<nlohmann::json> specials = step.take("special_tokens");
  if (!single || !single->is_array()) throw step.refused("single", "a list is needed");
  if (!specials || !specials->is_object()) throw step.refused("special_tokens", "an object is needed");
  PublishedConfig names(*specials, step.what() + ": special_tokens");
  std::map<std::string, std::vector<std::uint32_t>> tokens;
  bool after = false;
  for (const nlohmann::json& entry : *single) {
    if (!entry.is_object()) throw step.refused("single", "an object is needed for each");
    PublishedConfig place(entry, step.what() + ": single");
    std::optional<PublishedConfig> sequence = place.take_object("Sequence");
    std::optional<PublishedConfig> special = place.take_object("SpecialToken");
    place.finish();
    if (sequence.has_value() == special.has_value()) throw step.refused("single", "Sequence or SpecialToken is needed");
    PublishedConfig& member = sequence ? *sequence : *special;
    member.leave({"type_id"});
    const std::string id = member.take_word("id", "");
    member.finish();
    if (sequence) {
      if (after || id != "A") throw step.refused("single", "the text is needed once");
      after = true;
      continue;
    }
    const auto known =
        tokens.find(id) != tokens.end() ? tokens.find(id) : tokens.emplace(id, take_special(names, id, parts)).first;
    std::vector<std::uint32_t>& list = after ? parts.end : parts.begin;
    list.insert(list.end(), known->second.begin(), known->second.end());
    if (list.size() > max_template_tokens) {
      throw step.refused("single",
                         "more than " + std::to_string(max_template_tokens) + " tokens are put around a text");
    }
  }
  if (!after) throw step.refused("single", "the text is not in it");
}

void take_strip(PublishedConfig& step, TokenParts& parts) {
  step.require("content", {" "});
  step.require("stop", {0});
  const std::optional<nlohmann::json> start = step.take("start");
  if (start && *start != 0 && *start != 1)
    throw step.refused("start", start->dump() + " is not supported, but 0 and 1");
  if (start && *start == 1) parts.rules |= rule_strip_first;
}

/// What stands where the decoder puts words together.
std::string cleaned(std::string text) {
  const std::pair<const char*, const char*> steps[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : steps) {
    std::string changed;
    std::size_t begin = 0;
    for (std::size_t at = 0; (at = text.find(from, begin)) != text.npos;) {
      changed.append(text, begin, at - begin).append(to);
      begin = at + std::string_view(from).size();
    }
    text = changed.append(text, begin);
  }
  return text;
}

void take_word_decoder(PublishedConfig& step, TokenParts& parts) {
  step.require("prefix", {"##"});
  const bool clean = step.take_flag("cleanup", true);
  for (TokenPart& token : parts.tokens) {
    if (token.marks == 0) continue;
    if (token.bytes.starts_with("##")) {
      token.marks |= mark_continues;
      if (clean && cleaned(token.bytes.substr(2)) != token.bytes.substr(2)) {
        throw step.refused("cleanup", "it changes the token " + token.bytes);
      }
    }
    if (!clean) continue;
    const std::string spaced = cleaned(" " + token.bytes);
    if (cleaned(token.bytes) != token.bytes || (spaced != token.bytes && spaced != " " + token.bytes)) {
      throw step.refused("cleanup", "it changes the token " + token.bytes);
    }
    if (spaced == token.bytes) token.marks |= mark_adjoins;
  }
}

}  // namespace

void take_post_processor(PublishedConfig& root, TokenParts& parts) {
  bool put = false;
  for (PublishedConfig& step : take_steps(root, "post_processor", "processors")) {
    const std::string type = step.take_word("type", "");
    if (type == "ByteLevel") {
      step.leave({"add_prefix_space", "trim_offsets", "use_regex"});  // they move offsets alone
      step.finish();
      continue;
    }
    if (put) throw step.refused("type", "tokens are put around the text twice");
    put = true;
    if (type == "TemplateProcessing") {
      take_template(step, parts);
    } else if (type == "BertProcessing" || type == "RobertaProcessing") {
      parts.begin.push_back(take_pair(step, "cls", parts));
      parts.end.push_back(take_pair(step, "sep", parts));
      step.leave({"trim_offsets", "add_prefix_space"});
    } else {
      throw step.refused("type", type + " is not supported");
    }
    step.finish();
  }
}

bool take_decoder(PublishedConfig& root, TokenParts& parts) {
  std::vector<PublishedConfig> steps = take_steps(root, "decoder", "decoders");
  std::string order;
  for (PublishedConfig& step : steps) {
    const std::string type = step.take_word("type", "");
    order += (order.empty() ? "" : " ") + type;
    if (type == "Replace") {
      std::optional<PublishedConfig> pattern = step.take_object("pattern");
      if (!pattern) throw step.refused("pattern", "String is needed");
      pattern->require("String", {space_mark});
      pattern->finish();
      step.require("content", {" "});
    } else if (type == "Strip") {
      take_strip(step, parts);
    } else if (type == "ByteLevel") {
      step.leave({"add_prefix_space", "trim_offsets", "use_regex"});
    } else if (type == "WordPiece") {
      take_word_decoder(step, parts);
    } else if (type == "Metaspace") {
      step.require("replacement", {space_mark});
      step.leave({"str_rep", "split"});
      const bool prefix = step.take_flag("add_prefix_space", true);
      if (step.take_word("prepend_scheme", prefix ? "always" : "never") != "never") parts.rules |= rule_strip_spaces;
    }
    step.finish();
  }
  const bool characters = parts.kind == TokenizerKind::characters || parts.kind == TokenizerKind::unigram;
  const bool known = parts.kind == TokenizerKind::bytes ? order == "ByteLevel"
                     : parts.kind == TokenizerKind::word_pieces
                         ? order == "WordPiece"
                         : order == "Replace ByteFallback Fuse Strip" || order == "Replace ByteFallback Fuse" ||
                               order == "Metaspace" || order == "Replace Fuse Strip" || order == "Replace Fuse";
  if (!known) throw root.refused("decoder", (order.empty() ? "none" : order) + " is not supported with this model");
  return characters && order.find("ByteFallback") != order.npos;
}

}  // namespace heed::tools
