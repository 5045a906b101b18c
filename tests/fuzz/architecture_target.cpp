// SPDX-License-Identifier: MIT
//
// The JSON that describes a model, beside the tensors of two small ones. What is accepted becomes a model file.
#include <cstdint>
#include <memory>
#include <utility>

#include "fuzz/refused.hpp"
#include "fuzz/stored_tensors.hpp"
#include "heed/model.hpp"
#include "tensors/model_reader.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "m.json";
const std::string weights_name = "w.safetensors";

constexpr std::uint32_t most_blocks = 64;  ///< with the same tensors in each

constexpr const char* llama_json =
    R"({"block":{"model_dim":4,"heads":2,"kv_heads":1,"mlp_dim":3,"norm":"rms_norm","activation":"silu","gated":true},)"
    R"("blocks":1,"input_dim":3,"max_positions":16,"outputs":3,"positions":"rotary"})";
constexpr const char* vit_json =
    R"({"block":{"model_dim":4,"heads":2,"mlp_dim":3,"head_dim":2,"norm_epsilon":1e-6,"weight_type":"int8"},"blocks":1,)"
    R"("input_dim":6,"max_positions":5,"outputs":7,"input":"frames","positions":"learned","pooling":"first",)"
    R"("class_token":true,"causal":false,"family":"vit","prefix":"vit.",)"
    R"("tensors":{"head":"classifier.weight","head_bias":{"name":"classifier.bias","transposed":false}}})";

bool pack(std::string_view text, const std::shared_ptr<const tools::WeightFile>& weights) {
  const std::string model = "--model " + name;
  return accepts({model, weights_name}, [&] {
    const tools::ModelDescription described = describe_model(tools::parse_architecture(text, name), *weights, {});
    if (described.plan.config.blocks > most_blocks) throw tools::Failure(model + ": more blocks than are tried");
    const tools::ModelTensors tensors = read_model_tensors(described, weights, true);
    tools::AlignedBytes file = tools::pack(tensors, model);
    require(read_model(file.span()).status == Status::ok, "a packed model is accepted");
  });
}

}  // namespace

Corpus corpus() {
  return {{llama_json, vit_json},
          {R"("family":"gpt2",)",
           R"("prefix":"model.",)",
           R"("tensors":{"query":"a{}"},)",
           R"("tied_head":true,)",
           R"("cross_dim":4,)",
           R"("rotary_dim":2,)",
           R"("head_type":"int4_groups",)",
           "sinusoidal",
           "interleaved",
           "every",
           "mean",
           "after",
           "gelu_tanh",
           "layer_norm",
           "[",
           "]",
           "{",
           "}",
           ",",
           "null",
           "true",
           "false",
           "-1",
           "\"",
           "\\u0000",
           "[[[[[[[["}};
}

bool run(std::span<const std::byte> bytes) {
  static const std::string llama_bytes = llama_file();
  static const std::string vit_bytes = vit_file();
  static const auto llama = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(llama_bytes));
  static const auto vit = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(vit_bytes));
  const std::string_view text = text_of(bytes);
  const bool with_llama = pack(text, llama);
  return pack(text, vit) || with_llama;
}

}  // namespace heed::test::fuzz
