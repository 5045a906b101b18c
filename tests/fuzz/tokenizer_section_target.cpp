// SPDX-License-Identifier: MIT
//
// Model files with a tokenizer behind the model: the file as it is, and with the checksum that the tokenizer should
// have. What is found is bound; the last bytes of the file are the text that it encodes and tokens that it decodes.
// What lies behind a model changes nothing of what is read of it.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fuzz/stored_tensors.hpp"
#include "fuzz/target.hpp"
#include "fuzz/text_calls.hpp"
#include "heed/detail/extended_model.hpp"
#include "heed/detail/token_layout.hpp"
#include "heed/heed_text.h"
#include "heed/model.hpp"
#include "heed/text.hpp"
#include "support/aligned_memory.hpp"
#include "tokenizers/published_tokenizer.hpp"
#include "transformer/model_file.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test::fuzz {
namespace {

constexpr std::size_t last_bytes = 40;

/// The model's and the tokenizer's file, one after the other.
std::string joined(const ModelConfig& config, const std::string& tokenizer_json) {
  const tools::AlignedBytes tokenizer = tools::token_file(tools::read_tokenizer_json(tokenizer_json, "seed"), "seed");
  const AlignedMemory model = TinyModel(config, true).file();
  std::string file(reinterpret_cast<const char*>(model.span().data()), model.span().size());
  file.resize((file.size() + 63) / 64 * 64);
  return file.append(reinterpret_cast<const char*>(tokenizer.span().data()), tokenizer.span().size());
}

/// Whether the file has a tokenizer that is accepted.
bool find_and_use(std::span<const std::byte> file) {
  std::span<const std::byte> found;
  const Status status = tokenizer_of(file, found);
  const void* place = nullptr;
  std::size_t bytes = 0;
  require(heed_tokenizer_of(file.data(), file.size(), &place, &bytes) == static_cast<heed_status>(status),
          "C says the same");
  require(bytes == found.size() && (bytes == 0 || place == found.data()), "C finds the same");
  if (status != Status::ok || found.empty()) return false;
  require(found.data() + found.size() == file.data() + file.size(), "a tokenizer ends with the file");
  const std::size_t begin = file.size() - found.size();
  require(begin % detail::token_section_align == 0, "it begins on a boundary");
  std::uint32_t model_bytes = 0;
  std::memcpy(&model_bytes, file.data() + 2 * sizeof model_bytes, sizeof model_bytes);
  require(model_bytes <= begin, "it begins after the model");
  require(read_model(file).status == read_model(file.first(model_bytes)).status,
          "a model is read without what follows");
  TextTokenizer tokenizer;
  if (tokenizer.bind(found) != Status::ok) return false;
  const std::span<const std::byte> last = file.last(std::min(last_bytes, file.size()));
  encode(tokenizer, {reinterpret_cast<const char*>(last.data()), last.size()});
  encode(tokenizer, std::span<const char>("<s> ab a\xCC\x81", 10));
  decode(tokenizer, last);
  return true;
}

void sign(std::span<std::byte> file) {
  std::span<const std::byte> found;
  if (tokenizer_of(file, found) != Status::ok || found.empty()) return;
  constexpr std::size_t checked = sizeof(std::uint32_t) * (detail::word_crc + 1);
  const std::uint32_t sum = detail::crc32(found.data() + checked, found.size() - checked);
  std::memcpy(file.last(found.size()).data() + checked - sizeof sum, &sum, sizeof sum);
}

}  // namespace

Corpus corpus() {
  ModelConfig config = small(tiny_llama);
  config.input_dim = config.outputs = 8;
  const std::string begin =
      R"({"version":"1.0","added_tokens":[{"id":0,"content":"<s>","special":true,"normalized":false}],)";
  const std::string bytes = begin + R"("pre_tokenizer":{"type":"ByteLevel"},"decoder":{"type":"ByteLevel"},)"
                                    R"("model":{"type":"BPE","vocab":{"a":2,"b":3,"ab":4,"\u0120":5},)"
                                    R"("merges":["a b"]}})";
  const std::string characters = begin + R"("decoder":{"type":"Metaspace","replacement":"\u2581"},"pre_tokenizer":)"
                                         R"({"type":"Metaspace","replacement":"\u2581"},"model":{"type":"BPE",)"
                                         R"("unk_token":"a","vocab":{"a":2,"b":3,"ab":4,"\u2581":5,"\u2581ab":6},)"
                                         R"("merges":["a b","\u2581 ab"]}})";
  return {{joined(config, bytes), joined(config, characters)}, {"<s>", " ", "HEET", std::string(64, '\0'), "\xFF"}};
}

bool run(std::span<const std::byte> bytes) {
  if (bytes.size() >= 4 && reinterpret_cast<std::uintptr_t>(bytes.data()) % 4 != 0) {
    std::span<const std::byte> found;
    require(tokenizer_of(bytes, found) == Status::arena_misaligned && found.empty(), "an odd address is refused");
  }
  AlignedMemory file(bytes);
  const bool accepted = find_and_use(file.span());
  sign(file.span());
  return find_and_use(file.span()) || accepted;
}

}  // namespace heed::test::fuzz
