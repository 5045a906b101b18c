// SPDX-License-Identifier: MIT
//
// How `heed pack` tells families apart whose tensors have the same names, and what one of them has that no architecture
// says.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "command/packed_models.hpp"

namespace heed::test {
namespace {

class HeedPackFamily : public HeedPackModel {
 protected:
  /// The names of GPT-2 with matrices as nn.Linear stores them.
  [[nodiscard]] static std::vector<StoredTensor> stored_nanogpt(const TinyModel& model) {
    std::vector<StoredTensor> tensors;
    for (StoredTensor tensor : stored_gpt2(model)) {
      const bool matrix = tensor.name.find(".c_") != std::string::npos && tensor.shape.size() == 2;
      if (matrix) {
        const std::size_t rows = tensor.shape[1], columns = tensor.shape[0];
        std::string turned(tensor.bytes.size(), '\0');
        for (std::size_t i = 0; i < rows * columns; ++i) {
          turned.replace(4 * i, 4, tensor.bytes, 4 * (i % columns * rows + i / columns), 4);
        }
        tensor.bytes = turned;
        tensor.shape = {rows, columns};
      }
      tensors.push_back(tensor);
    }
    return tensors;
  }

  ModelConfig gpt2_ = tiny_gpt2, bert_ = tiny_bert;
};

// The square matrix attn.c_proj is stored as the others are, which tell.
TEST_F(HeedPackFamily, StoresAllMatricesAlike) {
  const TinyModel model(gpt2_, true);
  const std::string buffers = "h.0.attn.bias";
  json said = with(sizes_, "tied_head", true);
  write_safetensors(path("w.safetensors"), stored_nanogpt(model));
  refuse(said, {"block.activation: gelu_erf or gelu_tanh is needed", "nanogpt"});
  said["block"]["activation"] = "gelu_tanh";
  expect_packed(model, stored_nanogpt(model), said, "", buffers);
  expect_packed(model, stored_nanogpt(model), with(said, "family", "nanogpt"), "", buffers);
  refuse(with(said, "family", "gpt2"),
         {"--weights w.safetensors: tensor h.0.attn.c_attn.weight [36, 12]", "the family gpt2", "[in, out]"});
  json three = with(said, "family", "gpt2");
  for (const auto& [role, name] : std::map<std::string, std::string>{{"up", "mlp.c_fc"}, {"down", "mlp.c_proj"}}) {
    three["tensors"][role] = {{"name", "h.{}." + name + ".weight"}, {"transposed", false}};
  }
  write_safetensors(path("w.safetensors"), stored_gpt2(model));
  refuse(three, {"tensors.down: the family gpt2 stores h.{}.mlp.c_proj.weight as [in, out], as all of its matrices"});
  refuse(with(said, "family", "nanogpt"), {"c_attn.weight [12, 36]", "the family nanogpt", "[out, in]"});

  ModelConfig square = gpt2_;
  square.block.mlp_dim = 12;
  const TinyModel squares(square, true);
  said["block"]["mlp_dim"] = 12;
  expect_packed(squares, stored_nanogpt(squares), said, "", buffers);
}

// With one head of 4 numbers qkv is square as well; attn.c_proj [4, 12] is not, until its name is given.
TEST_F(HeedPackFamily, SaysHowSquareMatricesAreTaken) {
  ModelConfig config = gpt2_;
  config.block = {.model_dim = 12, .heads = 1, .head_dim = 4, .mlp_dim = 12, .activation = Activation::gelu_tanh};
  const TinyModel model(config, true);
  std::vector<StoredTensor> tensors = stored_gpt2(model);
  json said = with(with(sizes_, "tied_head", true), "block.mlp_dim", 12);
  said = with(with(said, "block.heads", 1), "block.head_dim", 4);
  expect_packed(model, tensors, said, "", "h.0.attn.bias");
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.find("attn.c_proj.weight") != std::string::npos) tensor.name += "_elsewhere";
  }
  said["tensors"] = {{"output", {{"name", "h.{}.attn.c_proj.weight_elsewhere"}, {"transposed", true}}}};
  write_safetensors(path("w.safetensors"), tensors);
  refuse(said, {"--model m.json: family: gpt2 or nanogpt is needed", "the file does not tell"});
  expect_packed(model, tensors, with(said, "family", "gpt2"), "", "h.0.attn.bias");
  EXPECT_NE(run(good_).out.find("matrices, all square, are [in, out]"), std::string::npos);
}

// Its positions begin after that of the padding token, 1.
TEST_F(HeedPackFamily, TellsRobertaFromBert) {
  const TinyModel model(bert_, true);
  const json said = with(sizes_, "pooling", "every");
  const std::vector<float> types = Random(9).normals(12);
  std::vector<float> table = Random(8).normals(24);
  const std::size_t skipped = table.size();
  table.insert(table.end(), model.ends.positions, model.ends.positions + 16 * 12);
  std::vector<float> sums(table.begin() + static_cast<std::ptrdiff_t>(skipped), table.end());
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += types[i % 12];
  TinyModel typed(bert_, true);
  typed.ends.positions = sums.data();
  const auto stored = [&](const std::string& prefix, const std::vector<StoredTensor>& more) {
    std::vector<StoredTensor> tensors = stored_bert(model);
    for (StoredTensor& tensor : tensors) {
      if (tensor.name == "bert.embeddings.position_embeddings.weight")
        tensor = {tensor.name, {18, 12}, bytes_of(table)};
      if (tensor.name.rfind("bert.", 0) == 0) tensor.name.replace(0, 5, prefix);
    }
    tensors.insert(tensors.end(), more.begin(), more.end());
    return tensors;
  };
  const auto one_type = [&](const std::string& prefix) {
    return std::vector<StoredTensor>{{prefix + "embeddings.token_type_embeddings.weight", {1, 12}, bytes_of(types)}};
  };
  expect_packed(model, stored("roberta.", {}), said);
  for (const std::string prefix : {"roberta.", ""}) {
    expect_packed(typed, stored(prefix, one_type(prefix)), said);
    EXPECT_NE(run(good_).out.find("family: roberta, prefix \"" + prefix + '"'), std::string::npos);
    std::filesystem::remove(path("out.heed"));
  }
  expect_packed(typed, stored("my.", one_type("my.")), with(said, "prefix", "my."));
  write_safetensors(path("w.safetensors"), stored("roberta.", {}));
  refuse(with(said, "max_positions", 18), {"[18, 12]: [20, 12] is needed", "positions begin at row 2"});
  write_safetensors(path("w.safetensors"), stored("bert.", one_type("bert.")));
  refuse(said, {"token_type_embeddings.weight [1, 12]: the family bert has several token types"});
  write_safetensors(path("w.safetensors"), stored("roberta.", {}));
  refuse(with(with(said, "family", "bert"), "prefix", "roberta."),
         {"roberta.embeddings.word_embeddings.weight: this is a name of the family roberta, not of bert"});
  expect_packed(model, stored("roberta.", {}), with(said, "prefix", "roberta."));
  write_safetensors(path("w.safetensors"), stored("", {}));
  refuse(said, {"family: bert or roberta is needed", "the file does not tell"});
  expect_packed(model, stored("", {}), with(said, "family", "roberta"));
}

// timm's average is over the patches, and its norm comes after it.
TEST_F(HeedPackFamily, RefusesTheMeanOfTimm) {
  const TinyModel model(tiny_vit, true);
  std::vector<StoredTensor> tensors = stored_timm_vit(model);
  write_safetensors(path("w.safetensors"), tensors);
  refuse(with(vit_json_, "pooling", "mean"),
         {"--model m.json: pooling: the mean of the family timm_vit", "class token"});
  for (StoredTensor& tensor : tensors) {
    if (tensor.name.rfind("norm.", 0) == 0) tensor.name.insert(0, "fc_");
  }
  write_safetensors(path("w.safetensors"), tensors);
  json named = with(vit_json_, "tensors", {{"final_norm", "fc_norm.weight"}, {"final_norm_bias", "fc_norm.bias"}});
  refuse(named, {"--weights w.safetensors: tensor fc_norm.weight", "the mean"});
  // Without a class token the mean of the normed rows is what is computed.
  ModelConfig config = tiny_vit;
  config.class_token = false;
  config.pooling = Pooling::mean;
  const TinyModel mean(config, true);
  expect_packed(mean, stored_timm_vit(mean), with(with(vit_json_, "pooling", "mean"), "class_token", false));
}

// A model of no family, whose tensors all have names of their own.
TEST_F(HeedPackFamily, CanBeNone) {
  ModelConfig config = tiny_llama;
  config.block.norm = Norm::layer_norm;
  const TinyModel model(config, true);
  json named = llama_json_;
  named["block"]["norm"] = "layer_norm";
  named["family"] = "none";
  json& names = named["tensors"];
  const auto name = [&](const std::string& role, const std::string& tensor) {
    names[role] = tensor + ".weight";
    names[role + "_bias"] = tensor + ".bias";
  };
  names["input"] = "model.embed_tokens.weight";
  for (const std::string part : {"query", "key", "value", "output"}) {
    name(part, "model.layers.{}.self_attn." + part.substr(0, 1) + "_proj");
  }
  for (const std::string part : {"gate", "up", "down"}) name(part, "model.layers.{}.mlp." + part + "_proj");
  name("attention_norm", "model.layers.{}.input_layernorm");
  name("mlp_norm", "model.layers.{}.post_attention_layernorm");
  name("final_norm", "model.norm");
  name("head", "lm_head");
  expect_packed(model, stored_llama(model), named);
  names.erase("value");
  write_json(named);
  expect_failure(good_, {"no name is known for the tensor `value`"});
}

}  // namespace
}  // namespace heed::test
