// SPDX-License-Identifier: MIT
//
// What the models of a family have in common need not be said to `heed pack`, and may not be contradicted.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {
namespace {

using Facts = std::map<std::string, std::vector<std::string>>;  ///< of a member, words that the family does not have

class HeedPackFacts : public HeedPackModel {
 protected:
  HeedPackFacts() {
    kwt_ = tiny_vit;
    kwt_.block.norm_placement = NormPlacement::after;
    kwt_.block.activation = Activation::gelu_tanh;
    kwt_.without_final_norm = true;
  }

  /// Packs the tensors without what the family has, and refuses everything else in its place.
  void expect_family(const std::string& family, const TinyModel& model, const std::vector<StoredTensor>& tensors,
                     const json& least, const Facts& others) const {
    SCOPED_TRACE(family);
    expect_packed(model, tensors, least);
    EXPECT_NE(run(good_).out.find("family: " + family + ", prefix "), std::string::npos);
    std::filesystem::remove(path("out.heed"));
    for (const auto& [member, words] : others) {
      for (const std::string& word : words) {
        const json value = word == "true" || word == "false" ? json(word == "true") : json(word);
        refuse(with(least, member, value),
               {"--model m.json: " + member + ": " + word + " is said, and the family " + family + " has "});
      }
    }
  }

  /// The names of KWT-1 in place of ViT's.
  [[nodiscard]] static std::vector<StoredTensor> stored_kwt(const TinyModel& model) {
    const std::pair<const char*, const char*> names[] = {{"vit.embeddings.patch_embeddings.projection", "patch_proj"},
                                                         {"vit.embeddings.cls_token", "class_token"},
                                                         {"vit.embeddings.position_embeddings", "pos_embed"},
                                                         {"vit.encoder.layer.", "blocks."},
                                                         {"attention.attention.", "attention."},
                                                         {"attention.output.dense", "attention.output"},
                                                         {"intermediate.dense", "mlp.fc1"},
                                                         {"output.dense", "mlp.fc2"},
                                                         {"layernorm_before", "norm1"},
                                                         {"layernorm_after", "norm2"},
                                                         {"classifier", "head"}};
    std::vector<StoredTensor> tensors;
    for (StoredTensor tensor : stored_vit(model)) {
      if (tensor.name.rfind("vit.layernorm", 0) == 0) continue;
      for (const auto& [from, to] : names) {
        const std::size_t at = tensor.name.find(from);
        if (at != std::string::npos) tensor.name.replace(at, std::string(from).size(), to);
      }
      tensors.push_back(tensor);
    }
    return tensors;
  }

  ModelConfig gpt2_ = tiny_gpt2, bert_ = tiny_bert, kwt_;
};

TEST_F(HeedPackFacts, HasWhatIsNotSaidAndNothingElse) {
  Facts others{{"block.norm", {"layer_norm"}},
               {"block.norm_placement", {"after"}},
               {"block.activation", {"relu", "gelu_tanh", "gelu_erf"}},
               {"block.gated", {"false"}},
               {"positions", {"none", "learned", "sinusoidal"}},
               {"rotary_layout", {"interleaved"}},
               {"input", {"frames"}},
               {"causal", {"false"}},
               {"embedding_norm", {"true"}},
               {"final_norm", {"false"}}};
  const TinyModel llama(tiny_llama, false);
  expect_family("llama", llama, stored_llama(llama), with(sizes_, "block.kv_heads", 1), others);

  others.erase("rotary_layout");
  others.insert_or_assign("positions", std::vector<std::string>{"none", "rotary", "sinusoidal"});
  others.insert_or_assign("block.activation", std::vector<std::string>{"relu", "gelu_erf", "silu"});
  others.insert_or_assign("block.norm", std::vector<std::string>{"rms_norm"});
  others.insert_or_assign("block.gated", std::vector<std::string>{"true"});
  const TinyModel gpt2(gpt2_, true);
  std::vector<StoredTensor> weights = stored_gpt2(gpt2);
  std::erase_if(weights,
                [](const StoredTensor& tensor) { return tensor.name.find(".attn.bias") != std::string::npos; });
  expect_family("gpt2", gpt2, weights, with(sizes_, "tied_head", true), others);

  others.insert({{"pooling", {"last"}}});
  others.insert_or_assign("block.norm_placement", std::vector<std::string>{"before"});
  others.insert_or_assign("block.activation", std::vector<std::string>{"relu", "gelu_tanh", "silu"});
  others.insert_or_assign("causal", std::vector<std::string>{"true"});
  others.insert_or_assign("embedding_norm", std::vector<std::string>{"false"});
  others.insert_or_assign("final_norm", std::vector<std::string>{"true"});
  const TinyModel bert(bert_, true);
  expect_family("bert", bert, stored_bert(bert), with(sizes_, "pooling", "every"), others);

  others.insert_or_assign("block.norm_placement", std::vector<std::string>{"after"});
  others.insert_or_assign("embedding_norm", std::vector<std::string>{"true"});
  others.insert_or_assign("final_norm", std::vector<std::string>{"false"});
  others.insert_or_assign("input", std::vector<std::string>{"tokens"});
  json frames = sizes_;
  frames.update({{"input_dim", 6}, {"max_positions", 5}, {"outputs", 7}, {"class_token", true}, {"pooling", "first"}});
  const TinyModel vit(tiny_vit, true);
  expect_family("timm_vit", vit, stored_timm_vit(vit), frames, others);
  others.insert_or_assign("pooling", std::vector<std::string>{"last", "mean"});
  expect_family("vit", vit, stored_vit(vit), frames, others);

  others.insert_or_assign("pooling", std::vector<std::string>{"last", "mean", "every"});
  others.insert_or_assign("block.norm_placement", std::vector<std::string>{"before"});
  others.insert_or_assign("block.activation", std::vector<std::string>{"relu", "gelu_erf", "silu"});
  others.insert_or_assign("final_norm", std::vector<std::string>{"true"});
  others.insert({{"class_token", {"false"}}});
  frames.erase("class_token");
  frames.erase("pooling");
  const TinyModel kwt(kwt_, true);
  expect_family("kwt", kwt, stored_kwt(kwt), frames, others);
}

TEST_F(HeedPackFacts, NeedsWhatPyTorchLeavesOpen) {
  ModelConfig config = tiny_vit;
  config.input = ModelInput::tokens;
  config.class_token = false;
  config.block.norm_placement = NormPlacement::after;
  config.block.activation = Activation::relu;
  const TinyModel model(config, true);
  write_safetensors(path("w.safetensors"), stored_torch(model, ""));
  json open = sizes_;
  open.update({{"input_dim", 6}, {"max_positions", 5}, {"outputs", 7}});
  open["tensors"] = {
      {"input", "embedding"}, {"positions", "positions"}, {"head", "classes.weight"}, {"head_bias", "classes.bias"}};
  const std::pair<const char*, json> needed[] = {
      {"block.norm_placement", "after"}, {"block.activation", "relu"}, {"causal", false}, {"pooling", "first"}};
  for (const auto& [member, value] : needed) {
    refuse(open, {std::string("--model m.json: ") + member + ": ", " or ", " is needed"});
    open = with(open, member, value);
  }
  expect_packed(model, stored_torch(model, ""), open);
  refuse(with(open, "block.norm", "rms_norm"), {"block.norm: rms_norm", "torch_encoder has layer_norm"});
}

}  // namespace
}  // namespace heed::test
