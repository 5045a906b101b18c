// SPDX-License-Identifier: MIT
//
// The JSON files of a Hugging Face folder: config.json beside the tensors of a small Llama, GPT-2 and ViT, where what
// is accepted becomes a model file; the index of a model in two files; and generation_config.json.
#include <memory>
#include <utility>

#include "architectures/architectures.hpp"
#include "architectures/generation_config.hpp"
#include "formats/shard_index.hpp"
#include "fuzz/refused.hpp"
#include "fuzz/stored_tensors.hpp"
#include "heed/model.hpp"
#include "tensors/model_reader.hpp"

namespace heed::test::fuzz {
namespace {

const std::string name = "m/config.json";
const std::string weights_name = "m/model.safetensors";
const std::string index_name = "m/model.safetensors.index.json";
const std::string shard_names[] = {"a.safetensors", "b.safetensors"};

constexpr std::uint32_t most_blocks = 64;

constexpr const char* llama_json =
    R"({"architectures":["LlamaForCausalLM"],"model_type":"llama","hidden_size":4,"num_attention_heads":2,)"
    R"("num_key_value_heads":1,"intermediate_size":3,"num_hidden_layers":1,"vocab_size":3,)"
    R"("max_position_embeddings":16,"rms_norm_eps":1e-5,"hidden_act":"silu","rope_scaling":{"rope_type":"llama3",)"
    R"("factor":8.0,"low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8}})";
constexpr const char* mistral_json =
    R"({"model_type":"mistral","hidden_size":4,"num_attention_heads":2,"num_key_value_heads":1,)"
    R"("intermediate_size":3,"num_hidden_layers":1,"vocab_size":3,"sliding_window":5,"rope_theta":100.0})";
constexpr const char* gpt2_json =
    R"({"model_type":"gpt2","n_embd":4,"n_head":2,"n_inner":3,"n_layer":1,"vocab_size":3,"n_positions":5,)"
    R"("scale_attn_by_inverse_layer_idx":true,"eos_token_id":[1,2]})";
constexpr const char* vit_json =
    R"({"architectures":["ViTForImageClassification"],"model_type":"vit","hidden_size":4,"num_attention_heads":2,)"
    R"("intermediate_size":3,"num_hidden_layers":1,"image_size":2,"patch_size":1,"num_channels":6,"num_labels":7})";
constexpr const char* index_json =
    R"({"metadata":{"total_size":12},"weight_map":{"x":"a.safetensors","y":"b.safetensors","z":"b.safetensors"}})";
constexpr const char* generation_json =
    R"({"bos_token_id":1,"eos_token_id":[2,3],"do_sample":true,"temperature":0.6,"transformers_version":"4.51.0"})";

std::string gpt2_file() {
  ModelConfig config = small(tiny_gpt2);
  config.max_positions = 5;
  return safetensors_file(stored_gpt2(TinyModel(config, true)));
}

bool pack(std::string_view text, const std::shared_ptr<const tools::WeightFile>& weights) {
  return accepts({name, weights_name, "--part"}, [&] {
    tools::PublishedModel published = tools::read_published_model(tools::PublishedConfig::parse(text, name), "");
    const tools::ModelDescription described = describe_published(std::move(published), *weights, {}, name);
    if (described.plan.config.blocks > most_blocks) throw tools::Failure(name + ": more blocks than are tried");
    tools::AlignedBytes file = tools::pack(read_model_tensors(described, weights, true), name);
    require(read_model(file.span()).status == Status::ok, "a packed model is accepted");
  });
}

bool index(std::string_view text) {
  static const std::string bytes[] = {safetensors_file({{"x", {1}, std::string(4, '\1')}}),
                                      safetensors_file({{"y", {1}, std::string(4, '\1')}, {"z", {0}, ""}})};
  return accepts({index_name, shard_names[0], shard_names[1]}, [&] {
    const tools::ShardIndex index(text, index_name);
    std::vector<tools::Safetensors> shards;
    for (const std::string& file : index.files()) {
      const std::size_t which = file == shard_names[0] ? 0 : 1;
      if (file != shard_names[which]) throw tools::Failure(index_name + ": " + file + ": there is no such file");
      shards.emplace_back(file, bytes[which]);
    }
    index.require(shards);
    std::size_t count = 0;
    for (const tools::Safetensors& shard : shards) count += shard.names().size();
    const tools::WeightFile weights(weights_name, std::move(shards));
    require(weights.names().size() == count, "a model in several files has all of their tensors");
  });
}

/// Of models in two parts, of which no tensors are there.
bool decoder(std::string_view text) {
  return accepts({name, "--part decoder"}, [&] {
    static_cast<void>(tools::read_published_model(tools::PublishedConfig::parse(text, name), "decoder"));
  });
}

bool generation(std::string_view text) {
  return accepts({name}, [&] {
    for (const std::string& line : tools::describe_generation(tools::PublishedConfig::parse(text, name))) {
      require(!line.empty(), "a line says something");
    }
  });
}

}  // namespace

Corpus corpus() {
  return {{llama_json, mistral_json, gpt2_json, vit_json, index_json, generation_json},
          {R"("rope_scaling":{"rope_type":"yarn","factor":4.0},)",
           R"("rope_parameters":{"rope_type":"linear","factor":2.0,"rope_theta":500.0},)",
           R"("layer_types":["sliding_attention"],)",
           R"("tie_word_embeddings":true,)",
           R"("model_type":"gemma3_text",)",
           R"("use_sliding_window":true,)",
           R"("no_rope_layers":[1,0],)",
           "qwen2",
           "qwen3",
           "smollm3",
           "granite",
           "phi3",
           "gemma2",
           "gpt_neox",
           "opt",
           "bert",
           "distilbert",
           "t5",
           "whisper",
           R"("architecture":"vit_tiny_patch16_224",)",
           "gelu_new",
           "weight_map",
           "[",
           "]",
           "{",
           "}",
           ",",
           "null",
           "true",
           "-1",
           "1e400",
           "4294967295",
           "\"",
           "\\u0000",
           "[[[[[[[["}};
}

bool run(std::span<const std::byte> bytes) {
  static const std::string llama_bytes = llama_file();
  static const std::string gpt2_bytes = gpt2_file();
  static const auto llama = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(llama_bytes));
  static const auto gpt2 = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(gpt2_bytes));
  static const std::string vit_bytes = vit_file();
  static const auto vit = std::make_shared<const tools::WeightFile>(weights_name, std::string_view(vit_bytes));
  const std::string_view text = text_of(bytes);
  const bool with_vit = pack(text, vit);
  const bool in_parts = decoder(text);
  const bool with_llama = pack(text, llama);
  const bool with_gpt2 = pack(text, gpt2);
  const bool as_index = index(text);
  return generation(text) || as_index || with_gpt2 || with_llama || with_vit || in_parts;
}

}  // namespace heed::test::fuzz
