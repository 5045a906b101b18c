// SPDX-License-Identifier: MIT
//
// GGUF files. One that is accepted becomes a model file, which is accepted as well, and its tokenizer likewise.
#include <memory>

#include "architectures/gguf_reader.hpp"
#include "fuzz/gguf_file.hpp"
#include "fuzz/refused.hpp"
#include "heed/model.hpp"
#include "tokenizers/gguf_tokenizer.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "m.gguf";

constexpr std::uint32_t most_blocks = 64;

void read_tensors(const tools::Gguf& file) {
  for (const std::string& tensor : file.names()) {
    const tools::StoredNumbers& stored = file.stored(tensor);
    const tools::FloatArray array = read_numbers(stored, nullptr);
    require(tools::byte_count(array.shape, 1, tensor) == array.values.size(), "a tensor fills its shape");
  }
  require(!accepts({name}, [&] { static_cast<void>(file.stored("no such tensor")); }), "a missing tensor is refused");
}

void pack(const tools::Gguf& file, std::optional<DataType> requantize) {
  const auto weights = std::make_shared<const tools::WeightFile>(file);
  tools::ModelTensors tensors = read_gguf_model(weights, true, {}, requantize);
  if (tensors.config.blocks > most_blocks) throw tools::Failure(name + ": more blocks than are tried");
  tools::AlignedBytes packed = tools::pack(tensors, name);
  require(read_model(packed.span()).status == Status::ok, "a packed model is accepted");
}

/// token_file() requires that the library takes it.
void pack_tokenizer(const tools::Gguf& file) {
  const tools::TokenParts parts = read_gguf_tokenizer(file);
  require(has_gguf_tokenizer(file), "a tokenizer that is read is there");
  require(token_file(parts, name).span().size() % 64 == 0, "its file is of whole sections");
}

}  // namespace

Corpus corpus() {
  return {{gguf_llama("F32"), gguf_llama("Q8_0"), gguf_llama("Q4_0"), gguf_tokenizer("llama"), gguf_tokenizer("gpt2")},
          {"llama.",
           "general.architecture",
           "general.alignment",
           "blk.0.",
           "attn_q.weight",
           "rope_freqs.weight",
           "qwen2",
           "gemma2",
           "tokenizer.ggml.",
           "<0x0A>",
           "llama-bpe",
           "general.name",
           "Phi-3",
           "granite",
           "phi3",
           "gpt2",
           "gptneox",
           "llama.rope.scaling.type",
           "yarn",
           "split.count"}};
}

bool run(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  const auto read = [&](std::optional<DataType> requantize) {
    return accepts({name}, [&] {
      const tools::Gguf file(name, text);
      read_tensors(file);
      pack(file, requantize);
    });
  };
  const bool tokenizer = accepts({name}, [&] { pack_tokenizer(tools::Gguf(name, text)); });
  const bool as_it_is = read({});
  const bool rounded = read(DataType::int8);
  require(!as_it_is || rounded, "what needs no rounding may be rounded");
  return as_it_is || rounded || tokenizer;
}

}  // namespace heed::test::fuzz
