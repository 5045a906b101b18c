// SPDX-License-Identifier: MIT
//
// What `heed pack` says that it has taken for granted, and names that it does not take for those of a family.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {
namespace {

class HeedPackAssumptions : public HeedPackModel {
 protected:
  /// Packs, and returns the lines after the first.
  [[nodiscard]] std::string notes(const json& architecture, const std::vector<StoredTensor>& tensors) const {
    write_json(architecture);
    write_safetensors(path("w.safetensors"), tensors);
    const Ended ended = run("pack --model m.json --weights w.safetensors --out y.heed");
    EXPECT_EQ(ended.code, 0) << ended.error;
    return ended.out.substr(ended.out.find('\n') + 1);
  }

  /// Llama with its projections in one matrix, as Phi-3 has them.
  [[nodiscard]] static std::vector<StoredTensor> stored_fused(const TinyModel& model, const std::string& name) {
    std::vector<StoredTensor> tensors;
    for (const StoredTensor& tensor : stored_llama(model)) {
      const std::size_t at = tensor.name.find(".q_proj.weight");
      const bool other =
          tensor.name.find(".k_proj.") != std::string::npos || tensor.name.find(".v_proj.") != std::string::npos;
      if (at != std::string::npos) {
        tensors.push_back({tensor.name.substr(0, at) + "." + name, {24, 12}, tensor.bytes});
      } else if (other) {
        for (StoredTensor& fused : tensors) {
          if (fused.name == tensor.name.substr(0, tensor.name.find("self_attn.")) + "self_attn." + name) {
            fused.bytes += tensor.bytes;
          }
        }
      } else {
        tensors.push_back(tensor);
      }
    }
    return tensors;
  }
};

TEST_F(HeedPackAssumptions, AreSaid) {
  const TinyModel model(tiny_llama, false);
  json least = sizes_;
  least["block"]["kv_heads"] = 1;
  const std::string has = "family: llama, prefix \"model.\"; it has block.norm rms_norm, block.norm_placement before, ";
  const std::string file = "no rope_scaling, sliding window, softcap or multipliers; norms multiply by their weight, ";
  std::string said = notes(least, stored_llama(model));
  EXPECT_EQ(said.find(has), 0U) << said;
  EXPECT_NE(
      said.find("\nassumes: block.norm_epsilon 1e-05, embedding_scale 1, rotary_base 10000, rotary_dim head_dim, " +
                file + "not by 1 + weight\n"),
      std::string::npos)
      << said;
  json most = llama_json_;
  most["block"].update({{"norm_epsilon", 1e-6}, {"norm_placement", "before"}});
  most.update({{"embedding_scale", 1}, {"rotary_base", 5e5}, {"rotary_dim", 0}, {"rotary_layout", "halves"}});
  most.update({{"input", "tokens"}, {"causal", true}, {"embedding_norm", false}, {"final_norm", true}});
  said = notes(most, stored_llama(model));
  EXPECT_EQ(said, "family: llama, prefix \"model.\"\nassumes: " + file + "not by 1 + weight\n");
}

TEST_F(HeedPackAssumptions, SayThatTheMeanCountsTheClassToken) {
  ModelConfig config = tiny_vit;
  config.pooling = Pooling::mean;
  config.without_final_norm = true;
  config.outputs = 0;
  json torch = with(with(vit_json_, "pooling", "mean"), "final_norm", false);
  torch["block"].update({{"norm_placement", "before"}, {"activation", "gelu_erf"}});
  torch.update(
      {{"outputs", 0}, {"tensors", {{"input", "input"}, {"class_token", "token"}, {"positions", "positions"}}}});
  const TinyModel model(config, false);
  std::vector<StoredTensor> tensors = stored_torch(model, "");
  tensors.front() = {"input", {12, 6}, tensors.front().bytes};
  tensors.push_back({"token", {12}, tensor_bytes(model.ends.class_token, 12)});
  expect_packed(model, tensors, torch);
  EXPECT_NE(notes(torch, tensors).find("mean counts the class token"), std::string::npos);
}

// A terminal does not act on what is shown.
TEST_F(HeedPackAssumptions, ShowNoControlCharacters) {
  const TinyModel model(tiny_llama, false);
  std::vector<StoredTensor> tensors = stored_llama(model);
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.rfind("model.", 0) == 0) tensor.name.replace(0, 6, "\x1B[2J");
  }
  EXPECT_NE(notes(with(llama_json_, "prefix", "\x1B[2J"), tensors).find("prefix \"\\x1B[2J\""), std::string::npos);
}

TEST_F(HeedPackAssumptions, AreSaidOfFilesOfLlama2c) {
  ModelConfig config = tiny_llama;
  config.rotary_layout = RotaryLayout::interleaved;
  write_bytes(path("m.bin"), llama2c_bytes(TinyModel(config, false)));
  const Ended ended = run("pack --llama2c m.bin --out y.heed");
  EXPECT_NE(ended.out.find("\nassumes: block.norm_epsilon 1e-05, rotary_base 10000\n"), std::string::npos) << ended.out;
}

TEST_F(HeedPackAssumptions, NameTheOrderOfRowsInOneMatrix) {
  const TinyModel model(tiny_llama, false);
  const std::string name = "model.layers.{}.self_attn.qkv_proj.weight";
  json fused = llama_json_;
  fused["tensors"] = {{"qkv", name}};
  const std::vector<StoredTensor> tensors = stored_fused(model, "qkv_proj.weight");
  expect_packed(model, tensors, fused);
  EXPECT_NE(notes(fused, tensors).find("rows of " + name + " all queries, all keys, all values"), std::string::npos);
  fused["family"] = "llama";
  expect_packed(model, tensors, fused);
  for (const std::string other : {"query_key_value.weight", "wqkv.weight"}) {
    fused["tensors"] = {{"qkv", "model.layers.{}.self_attn." + other}};
    refuse(fused, stored_fused(model, other), {"--model m.json: tensors.qkv: ", "all queries, all keys, all values"});
  }
}

TEST_F(HeedPackAssumptions, AskForTheWidthOfCrossAttention) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::tokens;
  config.class_token = false;
  config.encoder = false;
  config.pooling = Pooling::last;
  json torch = sizes_;
  torch["block"].update({{"norm_placement", "before"}, {"activation", "gelu_erf"}});
  torch.update({{"input_dim", 6}, {"max_positions", 5}, {"outputs", 7}, {"causal", true}});
  torch["tensors"] = {
      {"input", "embedding"}, {"positions", "positions"}, {"head", "classes.weight"}, {"head_bias", "classes.bias"}};
  for (const std::uint32_t cross : {12U, 9U}) {
    config.block.cross_dim = cross;
    const std::vector<StoredTensor> tensors = stored_torch(TinyModel(config, true), "");
    refuse(torch, tensors, {"block.cross_dim: the family torch_decoder needs it", "here " + std::to_string(cross)});
  }
  torch["family"] = "torch_encoder";
  refuse(torch, stored_torch(TinyModel(config, true), ""), {"multihead_attn.out_proj.weight", "torch_decoder"});
}

// Whisper's encoder has queries, keys and values under Llama's names, and nothing else.
TEST_F(HeedPackAssumptions, DoNotTakeWhisperForLlama) {
  const TinyModel model(tiny_llama, false);
  std::vector<StoredTensor> tensors;
  for (StoredTensor tensor : stored_llama(model)) {
    if (tensor.name.rfind("model.layers.", 0) != 0 || tensor.name.find("gate_proj") != std::string::npos) continue;
    const std::pair<const char*, const char*> other[] = {{"input_layernorm", "self_attn_layer_norm"},
                                                         {"post_attention_layernorm", "final_layer_norm"},
                                                         {"o_proj", "out_proj"},
                                                         {"mlp.up_proj", "fc1"},
                                                         {"mlp.down_proj", "fc2"}};
    for (const auto& [from, to] : other) {
      const std::size_t at = tensor.name.find(from);
      if (at != std::string::npos) tensor.name.replace(at, std::string(from).size(), to);
    }
    tensors.push_back(tensor);
  }
  refuse(llama_json_, tensors,
         {"--model m.json: tensors: names are needed", "no known family", "llama is nearest, but there is no "});
  json named = llama_json_;
  named["family"] = "bert";
  refuse(named, tensors, {"--model m.json: family: the file has none of the names of bert"});
}

}  // namespace
}  // namespace heed::test
