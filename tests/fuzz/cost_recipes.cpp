// SPDX-License-Identifier: MIT
#include "fuzz/cost_recipes.hpp"

#include <algorithm>

namespace heed::test::fuzz {
namespace {

constexpr const char* bytes_end = R"(,"pre_tokenizer":{"type":"ByteLevel"},"decoder":{"type":"ByteLevel"}})";
constexpr const char* words_end = R"(,"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece"}})";
constexpr const char* unigram_end =
    R"(,"pre_tokenizer":{"type":"Metaspace","replacement":"▁"},"decoder":{"type":"Metaspace","replacement":"▁"}})";

std::string recipe(char reader, std::string_view front, std::string_view unit, std::string_view back,
                   std::string_view text = "") {
  std::string all(1, reader);
  all.append(front).append("~").append(unit).append("~").append(back);
  if (!text.empty()) all.append("~").append(text);
  return all;
}

/// With a vocabulary that is repeated.
std::string pairs(std::string_view unit, std::string_view back, std::string_view text = "a") {
  return recipe('J', R"({"model":{"type":"BPE","merges":[],"vocab":{)", unit,
                R"("a":0}})" + std::string(back) + bytes_end, text);
}

std::string word_pieces(std::string_view unit, std::string_view back, std::string_view text) {
  return recipe('J',
                R"({"normalizer":{"type":"BertNormalizer"},"model":{"type":"WordPiece","unk_token":"[U]",)"
                R"("max_input_chars_per_word":250,"vocab":{"[U]":0,")",
                unit, std::string(back) + "}}" + words_end, text);
}

/// With added tokens that are repeated.
std::string added(std::string_view unit, std::string_view text) {
  return recipe('J', R"({"model":{"type":"BPE","merges":[],"vocab":{"a":0}},"added_tokens":[)", unit,
                R"({"id":1,"content":"<end>"}])" + std::string(bytes_end), text);
}

}  // namespace

std::optional<Recipe> recipe_of(std::string_view text) {
  if (text.empty()) return {};
  Recipe recipe{text[0], "", "", "", ""};
  std::string* const parts[] = {&recipe.front, &recipe.unit, &recipe.back, &recipe.text};
  text.remove_prefix(1);
  for (std::string* part : parts) {
    const std::size_t end = std::min(text.find('~'), text.size());
    *part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (recipe.unit.empty()) return {};
  return recipe;
}

std::string repeated(std::string_view front, std::string_view unit, std::string_view back, std::size_t bytes) {
  std::string all(front);
  for (std::size_t number = 2; all.size() + back.size() < bytes; ++number) {
    for (const char letter : unit) {
      if (letter == '#') {
        all += std::to_string(number);
      } else {
        all += letter;
      }
    }
  }
  return all.append(back);
}

const std::vector<std::string>& small_tokenizers() {
  static const std::string begin = R"({"added_tokens":[{"id":0,"content":"<s>","lstrip":true,"rstrip":true},)"
                                   R"({"id":1,"content":" ","rstrip":true,"normalized":false}],"model":{)";
  static const std::string classes =
      R"(,"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"\\p{N}{1,3}"},)"
      R"("behavior":"Isolated"},{"type":"Split","pattern":{"Regex":"[一-龥\u3040-ゟ゠-ヿ]+"},"behavior":"Isolated"},)"
      R"({"type":"Split","pattern":{"Regex":"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|)"
      R"([^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"},)"
      R"("behavior":"Isolated"},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]},)"
      R"("decoder":{"type":"ByteLevel"}})";
  static const std::vector<std::string> all = {
      begin + R"("type":"BPE","vocab":{"a":2,"aa":3,"aaaa":4},"merges":["a a","aa aa"]},"normalizer":{"type":"NFC"})" +
          bytes_end,
      begin + R"("type":"BPE","unk_token":"a","vocab":{"a":2,"aa":3,"aaaa":4},"merges":["a a","aa aa"]},)"
              R"("normalizer":{"type":"Prepend","prepend":"▁"},"decoder":{"type":"Metaspace","replacement":"▁"}})",
      R"({"model":{"type":"WordPiece","unk_token":"[U]","vocab":{"[U]":0,"a":2,"##a":3,"##aaaaaaaaaaaaaaaaaaaab":4}},)"
      R"("normalizer":{"type":"BertNormalizer"})" +
          std::string(words_end),
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":[["<u>",0],["a",-2],["aa",-3],["aaaaaaaaaaaaaaa",-9]]})" +
          std::string(unigram_end),
      begin + R"("type":"BPE","vocab":{"a":2},"merges":[]})" + classes};
  return all;
}

std::vector<std::string> cost_recipes() {
  const std::string one_token = R"({"model":{"type":"BPE","merges":[],"vocab":{"a":0,")";
  std::vector<std::string> all = {
      // One long token.
      recipe('G', "", "a", ""), recipe('G', "", "a", "\na\naa\naaa\naaaa"), recipe('B', "", "a", ""),
      recipe('L', "", "a", ""), recipe('J', one_token, "a", R"(":1}})" + std::string(bytes_end), "a"),
      word_pieces("a", R"(":1)", "a"), word_pieces(" 's", R"(":1)", "a"), word_pieces(". ", R"(":1)", "a"),
      // Many.
      recipe('G', "", "t#\n", "", "t5"), recipe('G', "", "[P#]\n", "", "[P5"), recipe('B', "", "t#\n", "", "t5"),
      recipe('L', "", "t#\n", ""), pairs(R"("t#":#,)", "", "t5"), pairs(R"("t#":#0000,)", ""),
      word_pieces(R"(#":#,"##)", R"(":1)", "5"),
      recipe('J', R"({"model":{"type":"BPE","vocab":{"a":0,"aa":1,"aaaa":2},"merges":[)", R"(["a","a"],)",
             R"(["aa","aa"]]})" + std::string(bytes_end), "a"),
      recipe('J', R"({"model":{"type":"Unigram","unk_id":0,"vocab":[)", R"(["t#",-#],)",
             R"(["a",-1]]})" + std::string(unigram_end), "t5"),
      added(R"({"id":#,"content":"<#>"},)", "<5"), added(R"({"id":#,"content":"a#","normalized":false},)", "a1a"),
      added(R"({"id":#,"content":"#","single_word":true},)", "a5"), pairs(R"("t":16777213,)", "}"),
      added(R"({"id":16777213,"content":"<#>"},)", "a"),
      // Deep nesting, and what takes more memory than bytes.
      recipe('J', "", "[", ""), recipe('C', R"({"a":)", R"({"a":)", ""), recipe('S', R"({"a":)", R"([{"a":)", ""),
      recipe('T', "", "[", ""), recipe('M', R"({"a":[)", "1,", "1]}"), recipe('J', R"({"a":[)", "[],", "1]}"),
      recipe('C', R"({"a":[)", "{},", "1]}"), recipe('T', R"({"stages":[)", "{},", "1]}"),
      recipe('C', "{", R"("a#":1,)", R"("a":1})"), recipe('M', "{", R"("a#":1,)", R"("a":1})"),
      recipe('S', R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})",
             R"(,"#":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})", "}"),
      recipe('I', R"({"weight_map":{"a":"b")", R"(,"#":"f#")", "}}"),
      recipe('T', "", "stage 0 mlp 0123456789abcdef\n", ""),
      recipe('T', R"({"stages":[)", R"({"block":0,"stage":"mlp","hash":"0123456789abcdef"},)", "1]}"),
      recipe('N', "", "1", "")};
  // Texts: long words, marks out of order, white space, numbers, near matches of added tokens, what is no UTF-8.
  for (const char* unit : {"a", "\xCC\x81\xCC\xA7", "\xCD\x84\xCC\xA7", " ", "1", "<s> ", "<", "A\xCC\x81", "\xFF",
                           "\xE3\x82\xAB", "\xE2\x96\x81", "a ", "#"}) {
    for (std::size_t i = 0; i < small_tokenizers().size(); ++i) {
      all.push_back(recipe(static_cast<char>('0' + i), "", unit, ""));
    }
  }
  return all;
}

}  // namespace heed::test::fuzz
