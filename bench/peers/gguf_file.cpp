// SPDX-License-Identifier: MIT
//
// The format is that of ggml's docs/gguf.md, version 3: pairs of keys and values, the tensors' names, shapes and
// places, and their data, each tensor on a boundary of 32 bytes.
#include "gguf_file.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace heed::bench {
namespace {

constexpr std::uint32_t version = 3;
constexpr std::size_t alignment = 32;
constexpr std::size_t group = 32;

enum class ValueType : std::uint32_t { uint32 = 4, float32 = 6, string = 8 };
enum class TensorType : std::uint32_t { float32 = 0, q4_0 = 2, q8_0 = 8 };

/// A matrix has rows of `columns`, a vector is one row.
struct Tensor {
  std::string name;
  const float* numbers;
  std::uint64_t columns;
  std::uint64_t rows;
  TensorType type;
};

[[nodiscard]] std::size_t bytes_of(const Tensor& tensor) {
  const std::size_t numbers = tensor.columns * tensor.rows;
  switch (tensor.type) {
    case TensorType::q8_0: return numbers / group * (2 + group);
    case TensorType::q4_0: return numbers / group * (2 + group / 2);
    default: return numbers * sizeof(float);
  }
}

[[nodiscard]] constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

template <class Number>
void put(std::ostream& file, Number number) {
  file.write(reinterpret_cast<const char*>(&number), sizeof number);
}

void put(std::ostream& file, const std::string& text) {
  put(file, std::uint64_t{text.size()});
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// The binary16 of a number that is one and is normal.
[[nodiscard]] std::uint16_t float16_of(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint32_t exponent = (bits >> 23 & 0xFF) - 112;
  if (exponent - 1 > 29 || (bits & 0x1FFF) != 0) fail("a step of weights is no float16");
  return static_cast<std::uint16_t>((bits >> 16 & 0x8000) | exponent << 10 | (bits >> 13 & 0x3FF));
}

/// A group's step and its numbers in steps.
void put_group(std::ostream& file, const float* from, TensorType type) {
  float greatest = 0;
  for (std::size_t i = 0; i < group; ++i) {
    if (std::abs(from[i]) > std::abs(greatest)) greatest = from[i];
  }
  const float step = type == TensorType::q8_0 ? std::abs(greatest) / 127 : greatest / -8;
  put(file, float16_of(step));
  std::array<int, group> numbers{};
  for (std::size_t i = 0; i < group; ++i) {
    numbers[i] = static_cast<int>(std::lrint(from[i] / step));
    if (static_cast<float>(numbers[i]) * step != from[i]) fail("a weight is no whole number of steps");
  }
  if (type == TensorType::q8_0) {
    for (const int number : numbers) put(file, static_cast<std::int8_t>(number));
    return;
  }
  for (std::size_t i = 0; i < group / 2; ++i) {
    put(file, static_cast<std::uint8_t>((numbers[i] + 8) | (numbers[i + group / 2] + 8) << 4));
  }
}

void put_data(std::ostream& file, const Tensor& tensor) {
  const std::size_t numbers = tensor.columns * tensor.rows;
  if (tensor.type == TensorType::float32) {
    file.write(reinterpret_cast<const char*>(tensor.numbers), static_cast<std::streamsize>(numbers * sizeof(float)));
  } else {
    for (std::size_t i = 0; i < numbers; i += group) put_group(file, tensor.numbers + i, tensor.type);
  }
  constexpr std::array<char, alignment> zeros{};
  file.write(zeros.data(), static_cast<std::streamsize>(aligned(bytes_of(tensor)) - bytes_of(tensor)));
}

/// What a file says before its tensors.
class Keys {
 public:
  explicit Keys(std::string architecture) : architecture_(std::move(architecture)) {
    put_text("general.architecture", architecture_);
  }
  void put_text(const std::string& key, const std::string& value) {
    begin(key, ValueType::string);
    put(text_, value);
  }
  void put_number(const std::string& key, std::uint32_t value) {
    begin(architecture_ + key, ValueType::uint32);
    put(text_, value);
  }
  void put_number(const std::string& key, float value) {
    begin(architecture_ + key, ValueType::float32);
    put(text_, value);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] std::string text() const { return text_.str(); }

 private:
  void begin(const std::string& key, ValueType type) {
    ++count_;
    put(text_, key);
    put(text_, static_cast<std::uint32_t>(type));
  }

  std::string architecture_;
  std::ostringstream text_;
  std::uint64_t count_ = 0;
};

[[nodiscard]] Keys keys_of(const ModelConfig& config, bool biases) {
  const BlockConfig& block = config.block;
  Keys keys(biases ? "qwen2" : "llama");
  keys.put_text("tokenizer.ggml.model", "no_vocab");
  keys.put_number(".vocab_size", config.input_dim);
  keys.put_number(".context_length", config.max_positions);
  keys.put_number(".embedding_length", block.model_dim);
  keys.put_number(".block_count", config.blocks);
  keys.put_number(".feed_forward_length", block.mlp_dim);
  keys.put_number(".attention.head_count", block.heads);
  keys.put_number(".attention.head_count_kv", block.kv_heads);
  keys.put_number(".attention.layer_norm_rms_epsilon", block.norm_epsilon);
  keys.put_number(".rope.freq_base", config.rotary_base);
  return keys;
}

[[nodiscard]] std::vector<Tensor> tensors_of(const ModelConfig& config, const RandomLlama& llama, TensorType type) {
  const std::uint64_t dim = config.block.model_dim;
  const std::uint64_t hidden = config.block.mlp_dim;
  const std::uint64_t key_dim = dim / config.block.heads * config.block.kv_heads;
  std::vector<Tensor> tensors;
  const auto add = [&](const std::string& name, const float* numbers, std::uint64_t columns, std::uint64_t rows) {
    if (numbers != nullptr) tensors.push_back({name, numbers, columns, rows, rows == 1 ? TensorType::float32 : type});
  };
  add("token_embd.weight", llama.ends().input, dim, config.input_dim);
  add("output_norm.weight", llama.ends().final_norm.weight, dim, 1);
  for (std::size_t number = 0; number < llama.blocks().size(); ++number) {
    const BlockWeights& weights = llama.blocks()[number];
    const std::string block = "blk." + std::to_string(number) + '.';
    add(block + "attn_norm.weight", weights.attention_norm.weight, dim, 1);
    add(block + "attn_q.weight", weights.attention.query, dim, dim);
    add(block + "attn_k.weight", weights.attention.key, dim, key_dim);
    add(block + "attn_v.weight", weights.attention.value, dim, key_dim);
    add(block + "attn_q.bias", weights.attention.query_bias, dim, 1);
    add(block + "attn_k.bias", weights.attention.key_bias, key_dim, 1);
    add(block + "attn_v.bias", weights.attention.value_bias, key_dim, 1);
    add(block + "attn_output.weight", weights.attention.output, dim, dim);
    add(block + "ffn_norm.weight", weights.mlp_norm.weight, dim, 1);
    add(block + "ffn_gate.weight", weights.gate, dim, hidden);
    add(block + "ffn_up.weight", weights.up, dim, hidden);
    add(block + "ffn_down.weight", weights.down, hidden, dim);
  }
  return tensors;
}

}  // namespace

void write_gguf(const std::filesystem::path& path, const ModelConfig& config, const RandomLlama& llama,
                GreatestStep greatest) {
  const Keys keys = keys_of(config, llama.blocks().front().attention.query_bias != nullptr);
  const std::vector<Tensor> tensors =
      tensors_of(config, llama, greatest == GreatestStep::of_8_bits ? TensorType::q8_0 : TensorType::q4_0);
  std::ofstream file(path, std::ios::binary);
  file << "GGUF";
  put(file, version);
  put(file, std::uint64_t{tensors.size()});
  put(file, keys.count());
  file << keys.text();
  std::uint64_t offset = 0;
  for (const Tensor& tensor : tensors) {
    const bool vector = tensor.rows == 1;
    put(file, tensor.name);
    put(file, std::uint32_t{vector ? 1U : 2U});
    put(file, tensor.columns);
    if (!vector) put(file, tensor.rows);
    put(file, static_cast<std::uint32_t>(tensor.type));
    put(file, offset);
    offset += aligned(bytes_of(tensor));
  }
  while (file.tellp() % static_cast<std::streamoff>(alignment) != 0) file.put('\0');
  for (const Tensor& tensor : tensors) put_data(file, tensor);
  if (!file.flush()) fail(path.string() + " cannot be written");
}

}  // namespace heed::bench
