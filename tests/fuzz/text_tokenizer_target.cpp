// SPDX-License-Identifier: MIT
//
// Files of text tokenizers, whose checksum is made right so that what it covers is looked at. The last bytes of one
// that is accepted are also the text that it encodes, and numbers of the tokens that it decodes.
#include <cstdint>
#include <cstring>

#include "fuzz/target.hpp"
#include "fuzz/text_calls.hpp"
#include "heed/detail/token_layout.hpp"
#include "heed/text.hpp"
#include "tokenizers/published_tokenizer.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::size_t text_bytes = 48;

std::uint32_t crc32(std::span<const std::byte> bytes) {
  std::uint32_t sum = ~0U;
  for (const std::byte byte : bytes) {
    sum ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0xEDB88320U : 0U);
  }
  return ~sum;
}

std::string packed(const std::string& json) {
  const tools::AlignedBytes file = tools::token_file(tools::read_tokenizer_json(json, "seed"), "seed");
  const auto bytes = file.span();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The same file with the first of its classes of characters alone, which lie at its end: every length of it is tried.
std::string with_few_classes(std::string file) {
  constexpr std::uint32_t few = 16;
  const auto word = [&](detail::TokenWord number) { return file.data() + std::size_t{4} * number; };
  std::uint32_t begin = 0;
  std::memcpy(&begin, word(detail::word_classes), sizeof begin);
  const std::uint32_t bytes = begin + 4 * few;
  static_assert(4 * few % detail::token_section_align == 0);
  std::memcpy(word(detail::word_class_count), &few, sizeof few);
  std::memcpy(word(detail::word_bytes), &bytes, sizeof bytes);
  file.resize(bytes);
  return file;
}

}  // namespace

Corpus corpus() {
  const std::string begin = R"({"version":"1.0","added_tokens":[{"id":0,"content":"<s>","special":true,"lstrip":true,)"
                            R"("normalized":false},{"id":1,"content":"<m>","normalized":true}],)";
  const std::string pairs = begin +
                            R"("normalizer":{"type":"NFC"},"pre_tokenizer":{"type":"ByteLevel"},"decoder":)"
                            R"({"type":"ByteLevel"},"model":{"type":"BPE","unk_token":"<s>","ignore_merges":true,)"
                            R"("vocab":{"<s>":0,"a":2,"b":3,"ab":4,"Ġ":5,"Ã":6},"merges":["a b"]}})";
  const std::string characters =
      begin + R"("pre_tokenizer":{"type":"Metaspace","replacement":"▁"},"decoder":{"type":"Metaspace",)"
              R"("replacement":"▁"},"model":{"type":"BPE","unk_token":"<s>","fuse_unk":true,)"
              R"("vocab":{"<s>":0,"a":2,"b":3,"ab":4,"▁":5,"▁ab":6,"é":7},"merges":["a b","▁ ab"]}})";
  const std::string words = begin + R"("normalizer":{"type":"BertNormalizer"},"pre_tokenizer":{"type":)"
                                    R"("BertPreTokenizer"},"decoder":{"type":"WordPiece"},"model":{"type":"WordPiece",)"
                                    R"("unk_token":"<s>","vocab":{"<s>":0,"a":2,"##b":3,"##a":4,".":5}}})";
  // The normalizer makes nothing of U+0001, "bb" of U+0002, and "é" of U+0003 and U+0004 together.
  const std::string unigram =
      R"({"version":"1.0","added_tokens":[{"id":0,"content":"<s>","special":true,"lstrip":true,"single_word":true,)"
      R"("normalized":false}],"normalizer":{"type":"Sequence","normalizers":[{"type":"Precompiled",)"
      R"("precompiled_charsmap":"OAAAAAAQAAAAAACAAQAAgAEtAAAAAAAAAREAAAIRAAADOAAABAAAgAAAAAAGAACAAAAAAAAAAAAEHQAAAGJiAGMAw6kA")"
      R"(},{"type":"Strip","strip_left":false,"strip_right":true},{"type":"Replace","pattern":{"Regex":" {2,}"},)"
      R"("content":"▁"}]},"pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"WhitespaceSplit"},{"type":)"
      R"("Metaspace","replacement":"▁"}]},"decoder":{"type":"Metaspace","replacement":"▁"},"model":{"type":"Unigram",)"
      R"("unk_id":0,"vocab":[["<s>",0],["a",-2.5],["b",-3],["ab",-4.25],["▁",-3],["▁ab",-7.125],["é",-9]]}})";
  const std::string by_class =
      R"({"version":"1.0","pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":)"
      R"("\\p{N}{1,3}"},"behavior":"Isolated"},{"type":"Split","pattern":{"Regex":"[一-龥\u3040-ゟ゠-ヿ]+"},"behavior":)"
      R"("Isolated"},{"type":"Split","pattern":{"Regex":"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|)"
      R"([^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"},)"
      R"("behavior":"Isolated"},{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]},"decoder":{"type":)"
      R"("ByteLevel"},"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2,"1":3,"A":4},"merges":["a b"]}})";
  return {{packed(pairs), packed(characters), packed(words), packed(unigram), with_few_classes(packed(by_class))},
          {"<s>", "<m>", " ", "ab", "A", "1", "'s", "\n", "\xE3\x82\xAB", "\xC3\xA9", "\xCC\x81", "\xE2\x96\x81",
           std::string("\0\0\0\0", 4), "\xFF"}};
}

bool run(std::span<const std::byte> bytes) {
  std::vector<std::uint32_t> words((bytes.size() + 3) / 4);
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  if (bytes.size() >= 4 * detail::token_header_words) {
    words[detail::word_crc] = crc32(std::as_bytes(std::span(words)).first(bytes.size()).subspan(16));
  }
  const std::span<const std::byte> file = std::as_bytes(std::span(words)).first(bytes.size());
  const TextTokenizerFile read = read_text_tokenizer(file);
  TextTokenizer tokenizer;
  require(tokenizer.bind(file) == read.status, "bind() and read_text_tokenizer() say the same");
  if (read.status != Status::ok) {
    require(read.field != nullptr && read.field[0] != '\0', "a refusal names the field");
    require(tokenizer.tokens() == 0, "what is refused is not bound");
    return false;
  }
  require(tokenizer.tokens() == read.tokens, "bind() and read_text_tokenizer() count the same tokens");
  const std::span<const std::byte> last = bytes.last(text_bytes);
  encode(tokenizer, {reinterpret_cast<const char*>(last.data()), last.size()});
  encode(tokenizer, std::span<const char>("<s> ab a\xCC\x81<m>", 13));
  decode(tokenizer, last);
  return true;
}

}  // namespace heed::test::fuzz
