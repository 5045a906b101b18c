// SPDX-License-Identifier: MIT
//
// `heed pack FOLDER` of tiny models: the bytes that the library packs, whatever the files of the folder are, and every
// way to refuse one.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "command/model_folders.hpp"

namespace heed::test {
namespace {

json without(json config, const char* member) {
  config.erase(member);
  return config;
}

TEST_F(HeedPackFolder, PacksOneFileOrShards) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  const std::string said = expect_folder_packed(model);
  for (const char* part :
       {"LlamaForCausalLM, prefix \"model.\"", "understood:\n  block.model_dim           12                blocks ",
        "  block.kv_heads            1  ", "  positions                 rotary\n", "tokens: eos 2 3",
        "without meaning here: torch_dtype"}) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  static_cast<void>(write_shards(llama_config_, stored_llama(model)));
  EXPECT_EQ(expect_folder_packed(model), said);
}

TEST_F(HeedPackFolder, TakesTheLibrarysDefaults) {
  ModelConfig config = tiny_llama;
  config.block.kv_heads = 2;
  config.block.norm_epsilon = 1e-6F;
  const TinyModel model(config, false);
  json left_out = without(without(llama_config_, "num_key_value_heads"), "rms_norm_eps");
  for (const char* member : {"architectures", "hidden_act", "torch_dtype", "eos_token_id", "rope_scaling"}) {
    left_out.erase(member);
  }
  write_folder(left_out, stored_llama(model));
  expect_folder_packed(model);
  left_out["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  left_out["num_key_value_heads"] = nullptr;
  write_config(left_out);
  expect_folder_packed(model);
}

TEST_F(HeedPackFolder, ReadsATiedHeadUnderEitherName) {
  ModelConfig config = tiny_llama;
  config.tied_head = true;
  const TinyModel model(config, false);
  json tied = llama_config_;
  tied["tie_word_embeddings"] = true;
  std::vector<StoredTensor> tensors = stored_llama(model);
  write_folder(tied, tensors);
  expect_folder_packed(model);
  tensors.push_back({"lm_head.weight", {19, 12}, tensors.front().bytes});
  write_folder(tied, tensors);
  expect_folder_packed(model);
  tensors.erase(tensors.begin());
  write_folder(tied, tensors);
  expect_folder_packed(model);
  refuse_config(llama_config_, {"there is no tensor model.embed_tokens.weight"});
  tensors.pop_back();
  write_folder(tied, tensors);
  refuse_config(tied, {"there is no tensor model.embed_tokens.weight"});
}

TEST_F(HeedPackFolder, ShowsWhatGenerationConfigSays) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  write_bytes(
      path("m/generation_config.json"),
      R"({"bos_token_id": 1, "eos_token_id": [2, 4], "do_sample": true, "temperature": 0.6, "_from_model_config": true,
                  "unheard_of": 3, "transformers_version": "4.51.0"})");
  const std::string said = expect_folder_packed(model);
  for (const char* part : {"generation_config.json: tokens: bos 1, eos 2 4\n", "do_sample true, temperature 0.6\n",
                           "generation_config.json: not known: unheard_of\n"}) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  }
  write_bytes(path("m/generation_config.json"), R"({"bos_token_id": "one"})");
  expect_failure("pack m --out out.heed", {"generation_config.json: bos_token_id", "number of a token"});
  write_bytes(path("m/generation_config.json"), "{");
  expect_failure("pack m --out out.heed", {"generation_config.json: not JSON: line 1, column 2"});
}

TEST_F(HeedPackFolder, RefusesMembers) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  const auto refuse = [&](const char* member, const json& value, const std::vector<std::string>& parts) {
    std::vector<std::string> all{"m/config.json: ", member};
    all.insert(all.end(), parts.begin(), parts.end());
    refuse_config(with(llama_config_, member, value), all);
  };
  refuse("unheard_of", 1, {"not known, and may change the result"});
  refuse("model_type", "mamba", {"mamba is said, and llama, mistral"});
  refuse("architectures", {"LlamaForSequenceClassification"}, {"LlamaForCausalLM is supported"});
  refuse("architectures", "LlamaForCausalLM", {"a list of texts"});
  refuse("quantization_config", {{"bits", 4}}, {"quantized weights are not supported"});
  refuse("is_encoder_decoder", true, {"true is said, and false is supported"});
  refuse("hidden_act", "mish", {"mish is said"});
  refuse("hidden_size", -1, {"-1 is said"});
  refuse("hidden_size", 1.5, {"1.5 is said"});
  refuse("hidden_size", nullptr, {"null is said"});
  refuse("num_hidden_layers", "two", {"two is said"});
  refuse("num_hidden_layers", 0, {"0 is said"});
  refuse("num_attention_heads", 5, {"does not divide hidden_size"});
  refuse("vocab_size", 4294967296, {"at most 32 bits"});
  refuse("rms_norm_eps", 0, {"positive"});
  refuse("tie_word_embeddings", "yes", {"true or false"});
  refuse("attention_bias", 1, {"true or false"});
  refuse("rope_theta", 1.0, {"more than 1"});
  refuse("eos_token_id", "end", {"number of a token"});
  refuse("rope_scaling", 3, {"an object"});
  refuse("rope_scaling", {{"rope_type", "dynamic"}, {"factor", 2.0}}, {"dynamic", "length of the text"});
  refuse("rope_scaling", {{"rope_type", "longrope"}}, {"longrope"});
  refuse("rope_scaling", {{"rope_type", "linear"}}, {"factor", "missing"});
  refuse("rope_scaling", {{"rope_type", "linear"}, {"type", "yarn"}, {"factor", 2.0}}, {"linear", "yarn"});
  refuse("rope_scaling", {{"rope_type", "linear"}, {"factor", 2.0}, {"low_freq_factor", 1.0}}, {"low_freq_factor"});
  refuse("rope_scaling", {{"rope_theta", 7.0}, {"rope_type", "default"}, {"unheard_of", 7.0}}, {"unheard_of"});
  json both = llama_config_;
  both["rope_theta"] = 7.0;
  both["rope_parameters"] = {{"rope_theta", 8.0}};
  refuse_config(both, {"rope_parameters: rope_theta", "another number"});
  both["rope_scaling"] = {{"rope_type", "default"}};
  refuse_config(both, {"rope_scaling", "rope_parameters is there, too"});
  write_bytes(path("m/config.json"), R"({"model_type": "llama", "model_type": "llama"})");
  expect_failure("pack m --out out.heed", {"m/config.json has model_type twice"});
  refuse_config(json::array(), {"m/config.json: not a JSON object"});
}

TEST_F(HeedPackFolder, RefusesWhatTheTensorsContradict) {
  const TinyModel model(tiny_llama, false);
  write_folder(llama_config_, stored_llama(model));
  for (const char* member : {"hidden_size", "num_attention_heads", "intermediate_size", "num_hidden_layers",
                             "num_key_value_heads", "vocab_size"}) {
    refuse_config(without(llama_config_, member), {"m/"});
  }
  refuse_config(with(llama_config_, "num_hidden_layers", 1), {"model.layers.1.", "does not use"});
  refuse_config(with(llama_config_, "num_hidden_layers", 3), {"there is no tensor model.layers.2."});
  refuse_config(with(llama_config_, "attention_bias", true), {"there is no tensor", "q_proj.bias"});
  const TinyModel biased(tiny_llama, true);
  write_folder(llama_config_, stored_llama(biased));
  refuse_config(llama_config_, {"does not use", ".bias"});
  std::vector<StoredTensor> tensors = stored_llama(model);
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(tensors[3].bytes.data() + 8, &not_a_number, sizeof not_a_number);
  write_folder(llama_config_, tensors);
  refuse_config(llama_config_, {tensors[3].name, "not a number"});
}

/// nanoGPT's checkpoints have GPT-2's names and matrices of nn.Linear.
TEST_F(HeedPackFolder, RefusesNanoGptAsGpt2) {
  const TinyModel model(tiny_gpt2, true);
  const json config{{"architectures", {"GPT2LMHeadModel"}},
                    {"model_type", "gpt2"},
                    {"n_embd", 12},
                    {"n_head", 2},
                    {"n_inner", 20},
                    {"n_layer", 2},
                    {"vocab_size", 19},
                    {"n_positions", 16}};
  std::vector<StoredTensor> tensors = stored_gpt2(model);
  write_folder(config, tensors);
  expect_folder_packed(model);
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.find(".c_") == std::string::npos || tensor.shape.size() != 2) continue;
    std::swap(tensor.shape[0], tensor.shape[1]);
  }
  write_folder(config, tensors);
  refuse_config(config, {"h.0.attn.c_attn.weight", "the family gpt2 has its matrices as [in, out]"});
}

TEST_F(HeedPackFolder, RefusesShards) {
  const TinyModel model(tiny_llama, false);
  const std::vector<StoredTensor> tensors = stored_llama(model);
  const json index = write_shards(llama_config_, tensors);
  const std::string pack = "pack m --out out.heed";
  const auto refuse = [&](const json& changed, const std::vector<std::string>& parts) {
    write_index(changed);
    expect_failure(pack, parts);
  };
  const std::string first = tensors[0].name;
  const auto with_file = [&](const std::string& tensor, const json& file) {
    json changed = index;
    changed["weight_map"][tensor] = file;
    return changed;
  };
  refuse(json::array(), {"index.json", "not a JSON object"});
  refuse({{"metadata", {{"total_size", 3}}}}, {"weight_map"});
  refuse(with(index, "unheard_of", 1), {"unheard_of"});
  refuse(with_file(first, 3), {first, "name of a file"});
  refuse(with_file(first, "../w.safetensors"), {"../w.safetensors", "in this folder"});
  refuse(with_file(first, "model-00003-of-00002.safetensors"), {"model-00003-of-00002.safetensors"});
  refuse(with_file(first, shards_[1]), {first, shards_[0], shards_[1]});
  refuse(with_file("unheard_of", shards_[1]), {"there is no tensor unheard_of", shards_[1]});
  json less = index;
  less["weight_map"].erase(first);
  refuse(less, {shards_[0], "tensor " + first + " is not in"});
  std::filesystem::remove(path("m/" + shards_[1]));
  refuse(index, {shards_[1]});
  write_safetensors(path("m/" + shards_[1]), tensors);
  refuse(index, {shards_[1], "is here, and in " + shards_[0]});
}

TEST_F(HeedPackFolder, RefusesFolders) {
  const TinyModel model(tiny_llama, false);
  const std::vector<StoredTensor> tensors = stored_llama(model);
  const std::string pack = "pack m --out out.heed ";
  expect_failure(pack, {"m: there is no such folder"});
  std::filesystem::create_directory(path("m"));
  expect_failure(pack, {"m: there is no config.json"});
  write_folder(llama_config_, tensors);
  expect_failure(pack + "--weights m/model.safetensors", {"--weights", "with a folder"});
  expect_failure(pack + "--heads 3", {"--heads", "for a whole model"});
  write_bytes(path("m/adapter_config.json"), "{}");
  expect_failure(pack, {"adapter_config.json"});
  std::filesystem::remove(path("m/adapter_config.json"));
  write_bytes(path("m/model.safetensors.index.json"), "{}");
  expect_failure(pack, {"are both there"});
  std::filesystem::remove(path("m/model.safetensors.index.json"));
  std::filesystem::remove(path("m/model.safetensors"));
  expect_failure(pack, {"there is no model.safetensors"});
  // Two tensors of one name.
  const std::string entry = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  write_bytes(path("m/model.safetensors"), safetensors_bytes('{' + entry + ',' + entry + '}', std::string(4, '\0')));
  expect_failure(pack, {"m/model.safetensors", "a twice"});
}

}  // namespace
}  // namespace heed::test
