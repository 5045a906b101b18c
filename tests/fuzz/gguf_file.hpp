// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/random.hpp"

namespace heed::test::fuzz {

/// A GGUF file in the making.
class GgufFile {
 public:
  template <class Number>
  static std::string bytes(Number number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
  }

  static std::string text(std::string_view letters) {
    return bytes(std::uint64_t{letters.size()}) + std::string(letters);
  }

  /// A key, its type and the bytes of its value.
  void add_key(std::string_view key, std::uint32_t type, const std::string& value) {
    ++key_count_;
    keys_ += text(key) + bytes(type) + value;
  }
  void add_count(std::string_view key, std::uint32_t count) { add_key(key, 4, bytes(count)); }

  void add_tensor(std::string_view name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                  const std::string& content) {
    ++tensor_count_;
    tensors_ += text(name) + bytes(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes) tensors_ += bytes(size);
    tensors_ += bytes(type) + bytes(std::uint64_t{data_.size()});
    data_ += content;
    data_.resize((data_.size() + 31) / 32 * 32);
  }

  [[nodiscard]] std::string file() const {
    std::string all = "GGUF" + bytes(std::uint32_t{3}) + bytes(tensor_count_) + bytes(key_count_) + keys_ + tensors_;
    all.resize((all.size() + 31) / 32 * 32);
    return all + data_;
  }

 private:
  std::uint64_t key_count_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::string keys_;
  std::string tensors_;
  std::string data_;
};

/// A tokenizer without a model: "llama" with scores, or "gpt2" with merges; and more tokens, those with "[P" in front
/// defined by the user.
inline std::string gguf_tokenizer(std::string_view model, const std::vector<std::string_view>& more = {}) {
  const bool characters = model == "llama";
  std::vector<std::string> tokens = {"<unk>", "<s>", "<t>", "[P]"};
  std::vector<std::uint32_t> types = {2, 3, 4, 5};
  for (unsigned byte = 0; byte < 256 && characters; ++byte) {
    constexpr const char* digits = "0123456789ABCDEF";
    tokens.push_back(std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">");
  }
  types.resize(tokens.size(), 6);
  for (const char* token : {"a", "b", "ab", "abab", characters ? "\xE2\x96\x81" : "\xC4\xA0"})
    tokens.emplace_back(token);
  types.resize(tokens.size(), 1);
  for (const std::string_view token : more) {
    tokens.emplace_back(token);
    types.push_back(token.starts_with("[P") ? 4 : 1);
  }
  const auto list = [](std::uint32_t type, std::size_t count) {
    return GgufFile::bytes(type) + GgufFile::bytes(std::uint64_t{count});
  };
  std::string texts = list(8, tokens.size());
  std::string scores = list(6, tokens.size());
  std::string kinds = list(5, tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    texts += GgufFile::text(tokens[i]);
    scores += GgufFile::bytes(-static_cast<float>(i % 3));
    kinds += GgufFile::bytes(types[i]);
  }
  GgufFile file;
  file.add_key("tokenizer.ggml.model", 8, GgufFile::text(model));
  file.add_key("tokenizer.ggml.pre", 8, GgufFile::text("qwen2"));
  file.add_key("tokenizer.ggml.tokens", 9, texts);
  file.add_key("tokenizer.ggml.scores", 9, scores);
  file.add_key("tokenizer.ggml.token_type", 9, kinds);
  file.add_key("tokenizer.ggml.merges", 9, list(8, 2) + GgufFile::text("a b") + GgufFile::text("ab ab"));
  file.add_key("tokenizer.ggml.add_bos_token", 7, std::string(1, '\1'));
  file.add_count("tokenizer.ggml.bos_token_id", 1);
  file.add_count("tokenizer.ggml.eos_token_id", 2);
  return file.file();
}

/// A Llama of one block whose matrices are F32, Q8_0 or Q4_0: rows of 32, two heads, a vocabulary of 2.
inline std::string gguf_llama(std::string_view kind) {
  constexpr std::uint64_t dim = 32;
  GgufFile file;
  file.add_key("general.architecture", 8, GgufFile::text("llama"));
  file.add_key("tokenizer.ggml.tokens", 9,
               GgufFile::bytes(std::uint32_t{8}) + GgufFile::bytes(std::uint64_t{1}) + GgufFile::text("a"));
  file.add_count("llama.embedding_length", dim);
  file.add_count("llama.block_count", 1);
  file.add_count("llama.context_length", 8);
  file.add_count("llama.feed_forward_length", dim);
  file.add_count("llama.attention.head_count", 8);
  file.add_count("llama.attention.head_count_kv", 1);
  file.add_key("llama.attention.layer_norm_rms_epsilon", 6, GgufFile::bytes(1e-5F));
  Random random(1);
  const auto norm = [&](std::string_view name) {
    std::string content;
    for (std::uint64_t i = 0; i < dim; ++i) content += GgufFile::bytes(1.0F);
    file.add_tensor(name, {dim}, 0, content);
  };
  const auto matrix = [&](std::string_view name, std::uint64_t rows) {
    const std::uint32_t type = kind == "F32" ? 0 : kind == "Q8_0" ? 8 : 2;
    const std::size_t row_bytes = kind == "F32" ? dim * 4 : kind == "Q8_0" ? 34 : 18;
    std::string content(rows * row_bytes, '\0');
    for (std::size_t i = 0; i < content.size(); ++i) {
      // Scales of 1.5 in float16, or floats of 0.5; any integers.
      const bool scale = i % row_bytes < 2;
      const char integer = static_cast<char>(random.between(0, 255));
      content[i] = kind == "F32" ? "\0\0\0\x3F"[i % 4] : scale ? "\0\x3E"[i % row_bytes] : integer;
    }
    file.add_tensor(name, {dim, rows}, type, content);
  };
  matrix("token_embd.weight", 2);
  norm("blk.0.attn_norm.weight");
  matrix("blk.0.attn_q.weight", dim);
  matrix("blk.0.attn_k.weight", dim / 8);
  matrix("blk.0.attn_v.weight", dim / 8);
  matrix("blk.0.attn_output.weight", dim);
  norm("blk.0.ffn_norm.weight");
  matrix("blk.0.ffn_gate.weight", dim);
  matrix("blk.0.ffn_up.weight", dim);
  matrix("blk.0.ffn_down.weight", dim);
  norm("output_norm.weight");
  return file.file();
}

}  // namespace heed::test::fuzz
