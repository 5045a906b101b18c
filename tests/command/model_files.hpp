// SPDX-License-Identifier: MIT
//
// Models as other programs write them: tensors with a family's names, and what llama2.c reads.
#pragma once

#include <string>
#include <vector>

#include "command/command.hpp"
#include "transformer/tiny_model.hpp"

namespace heed::test {

inline std::string tensor_bytes(const float* values, std::size_t count) {
  return bytes_of(std::vector<float>(values, values + count));
}

/// The tensors of a model with the names that a family gives them; missing biases are left out.
class StoredModel {
 public:
  explicit StoredModel(const TinyModel& model) : model_(model) {}

  void add(const std::string& name, const float* values, const Shape& shape) {
    if (values == nullptr) return;
    std::size_t count = 1;
    for (const std::size_t size : shape) count *= size;
    tensors.push_back({name, shape, tensor_bytes(values, count)});
  }

  /// A matrix [out, in], stored as [in, out].
  void add_transposed(const std::string& name, const float* values, std::size_t out, std::size_t in) {
    std::vector<float> turned(out * in);
    for (std::size_t i = 0; i < out * in; ++i) turned[i % in * out + i / in] = values[i];
    add(name, turned.data(), {in, out});
  }

  void add_norm(const std::string& name, const NormWeights& norm) {
    add(name + ".weight", norm.weight, {dim()});
    add(name + ".bias", norm.bias, {dim()});
  }

  /// Projections apart, under the given names.
  void add_separate(const MultiHeadWeights& weights, const std::vector<std::string>& names, std::size_t kv_input) {
    add(names[0] + ".weight", weights.query, {query(), dim()});
    add(names[1] + ".weight", weights.key, {key(), kv_input});
    add(names[2] + ".weight", weights.value, {key(), kv_input});
    add(names[3] + ".weight", weights.output, {dim(), query()});
    add(names[0] + ".bias", weights.query_bias, {query()});
    add(names[1] + ".bias", weights.key_bias, {key()});
    add(names[2] + ".bias", weights.value_bias, {key()});
    add(names[3] + ".bias", weights.output_bias, {dim()});
  }

  void add_mlp(const BlockWeights& block, const std::string& up, const std::string& down) {
    add(up + ".weight", block.up, {hidden(), dim()});
    add(up + ".bias", block.up_bias, {hidden()});
    add(down + ".weight", block.down, {dim(), hidden()});
    add(down + ".bias", block.down_bias, {dim()});
  }

  void add_head(const std::string& name) {
    add(name + ".weight", model_.ends.head, {config().outputs, dim()});
    add(name + ".bias", model_.ends.head_bias, {config().outputs});
  }

  [[nodiscard]] const ModelConfig& config() const { return model_.config; }
  [[nodiscard]] std::size_t dim() const { return config().block.model_dim; }
  [[nodiscard]] std::size_t hidden() const { return config().block.mlp_dim; }
  [[nodiscard]] std::size_t query() const { return std::size_t{config().block.heads} * config().block.head_dim; }
  [[nodiscard]] std::size_t key() const { return std::size_t{config().block.kv_heads} * config().block.head_dim; }

  std::vector<StoredTensor> tensors;

 private:
  const TinyModel& model_;
};

inline std::vector<StoredTensor> stored_llama(const TinyModel& model) {
  StoredModel to(model);
  to.add("model.embed_tokens.weight", model.ends.input, {to.config().input_dim, to.dim()});
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const BlockWeights& block = model.blocks[i];
    const std::string layer = "model.layers." + std::to_string(i) + ".";
    const std::string attention = layer + "self_attn.";
    to.add_norm(layer + "input_layernorm", block.attention_norm);
    to.add_separate(block.attention,
                    {attention + "q_proj", attention + "k_proj", attention + "v_proj", attention + "o_proj"}, to.dim());
    to.add_norm(layer + "post_attention_layernorm", block.mlp_norm);
    to.add(layer + "mlp.gate_proj.weight", block.gate, {to.hidden(), to.dim()});
    to.add(layer + "mlp.gate_proj.bias", block.gate_bias, {to.hidden()});
    to.add_mlp(block, layer + "mlp.up_proj", layer + "mlp.down_proj");
  }
  to.add_norm("model.norm", model.ends.final_norm);
  to.add_head("lm_head");
  return to.tensors;
}

inline std::vector<StoredTensor> stored_gpt2(const TinyModel& model) {
  StoredModel to(model);
  to.add("wte.weight", model.ends.input, {to.config().input_dim, to.dim()});
  to.add("wpe.weight", model.ends.positions, {to.config().max_positions, to.dim()});
  const std::size_t all = to.query() + 2 * to.key();
  const std::vector<float> mask(16, 1.0F);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const BlockWeights& block = model.blocks[i];
    const std::string layer = "h." + std::to_string(i) + ".";
    to.add_norm(layer + "ln_1", block.attention_norm);
    to.add(layer + "attn.bias", mask.data(), {1, 1, 4, 4});
    to.add_transposed(layer + "attn.c_attn.weight", block.attention.query, all, to.dim());
    to.add(layer + "attn.c_attn.bias", block.attention.query_bias, {all});
    to.add_transposed(layer + "attn.c_proj.weight", block.attention.output, to.dim(), to.query());
    to.add(layer + "attn.c_proj.bias", block.attention.output_bias, {to.dim()});
    to.add_norm(layer + "ln_2", block.mlp_norm);
    to.add_transposed(layer + "mlp.c_fc.weight", block.up, to.hidden(), to.dim());
    to.add(layer + "mlp.c_fc.bias", block.up_bias, {to.hidden()});
    to.add_transposed(layer + "mlp.c_proj.weight", block.down, to.dim(), to.hidden());
    to.add(layer + "mlp.c_proj.bias", block.down_bias, {to.dim()});
  }
  to.add_norm("ln_f", model.ends.final_norm);
  return to.tensors;
}

/// BERT and ViT of Hugging Face have nearly the same layers.
inline void add_hugging_face_layer(StoredModel& to, const BlockWeights& block, const std::string& layer, bool vit) {
  const std::string self = layer + (vit ? "attention.attention." : "attention.self.");
  to.add_separate(block.attention, {self + "query", self + "key", self + "value", layer + "attention.output.dense"},
                  to.dim());
  to.add_norm(layer + (vit ? "layernorm_before" : "attention.output.LayerNorm"), block.attention_norm);
  to.add_mlp(block, layer + "intermediate.dense", layer + "output.dense");
  to.add_norm(layer + (vit ? "layernorm_after" : "output.LayerNorm"), block.mlp_norm);
}

inline std::vector<StoredTensor> stored_bert(const TinyModel& model) {
  StoredModel to(model);
  const std::string embeddings = "bert.embeddings.";
  to.add(embeddings + "word_embeddings.weight", model.ends.input, {to.config().input_dim, to.dim()});
  to.add(embeddings + "position_embeddings.weight", model.ends.positions, {to.config().max_positions, to.dim()});
  to.add_norm(embeddings + "LayerNorm", model.ends.embedding_norm);
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    add_hugging_face_layer(to, model.blocks[i], "bert.encoder.layer." + std::to_string(i) + ".", false);
  }
  to.add_head("classifier");
  return to.tensors;
}

inline std::vector<StoredTensor> stored_vit(const TinyModel& model) {
  StoredModel to(model);
  const std::string embeddings = "vit.embeddings.";
  // A convolution over patches of 3 x 1 pixels with as many channels as are left.
  to.add(embeddings + "patch_embeddings.projection.weight", model.ends.input,
         {to.dim(), to.config().input_dim / 3, 3, 1});
  to.add(embeddings + "patch_embeddings.projection.bias", model.ends.input_bias, {to.dim()});
  to.add(embeddings + "cls_token", model.ends.class_token, {1, 1, to.dim()});
  to.add(embeddings + "position_embeddings", model.ends.positions, {1, to.config().max_positions, to.dim()});
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    add_hugging_face_layer(to, model.blocks[i], "vit.encoder.layer." + std::to_string(i) + ".", true);
  }
  to.add_norm("vit.layernorm", model.ends.final_norm);
  to.add_head("classifier");
  return to.tensors;
}

inline std::vector<StoredTensor> stored_timm_vit(const TinyModel& model) {
  StoredModel to(model);
  to.add("patch_embed.proj.weight", model.ends.input, {to.dim(), to.config().input_dim});
  to.add("patch_embed.proj.bias", model.ends.input_bias, {to.dim()});
  to.add("cls_token", model.ends.class_token, {1, 1, to.dim()});
  to.add("pos_embed", model.ends.positions, {1, to.config().max_positions, to.dim()});
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const BlockWeights& block = model.blocks[i];
    const std::string layer = "blocks." + std::to_string(i) + ".";
    to.add_norm(layer + "norm1", block.attention_norm);
    to.add(layer + "attn.qkv.weight", block.attention.query, {to.query() + 2 * to.key(), to.dim()});
    to.add(layer + "attn.qkv.bias", block.attention.query_bias, {to.query() + 2 * to.key()});
    to.add(layer + "attn.proj.weight", block.attention.output, {to.dim(), to.query()});
    to.add(layer + "attn.proj.bias", block.attention.output_bias, {to.dim()});
    to.add_norm(layer + "norm2", block.mlp_norm);
    to.add_mlp(block, layer + "mlp.fc1", layer + "mlp.fc2");
  }
  to.add_norm("norm", model.ends.final_norm);
  to.add_head("head");
  return to.tensors;
}

/// nn.TransformerEncoder, or nn.TransformerDecoder where there is cross-attention.
inline std::vector<StoredTensor> stored_torch(const TinyModel& model, const std::string& prefix) {
  StoredModel to(model);
  to.add("embedding", model.ends.input, {to.config().input_dim, to.dim()});
  to.add("positions", model.ends.positions, {to.config().max_positions, to.dim()});
  const std::size_t all = to.query() + 2 * to.key();
  const std::size_t cross = to.config().block.cross_dim;
  for (std::size_t i = 0; i < model.blocks.size(); ++i) {
    const BlockWeights& block = model.blocks[i];
    const std::string layer = prefix + "layers." + std::to_string(i) + ".";
    to.add(layer + "self_attn.in_proj_weight", block.attention.query, {all, to.dim()});
    to.add(layer + "self_attn.in_proj_bias", block.attention.query_bias, {all});
    to.add(layer + "self_attn.out_proj.weight", block.attention.output, {to.dim(), to.query()});
    to.add(layer + "self_attn.out_proj.bias", block.attention.output_bias, {to.dim()});
    to.add_norm(layer + "norm1", block.attention_norm);
    if (cross != 0) {
      const std::string attention = layer + "multihead_attn.";
      if (cross == to.dim()) {
        to.add(attention + "in_proj_weight", block.cross.query, {all, to.dim()});
      } else {
        to.add(attention + "q_proj_weight", block.cross.query, {to.query(), to.dim()});
        to.add(attention + "k_proj_weight", block.cross.key, {to.key(), cross});
        to.add(attention + "v_proj_weight", block.cross.value, {to.key(), cross});
      }
      to.add(attention + "in_proj_bias", block.cross.query_bias, {all});
      to.add(attention + "out_proj.weight", block.cross.output, {to.dim(), to.query()});
      to.add(attention + "out_proj.bias", block.cross.output_bias, {to.dim()});
      to.add_norm(layer + "norm2", block.cross_norm);
    }
    to.add_mlp(block, layer + "linear1", layer + "linear2");
    to.add_norm(layer + (cross != 0 ? "norm3" : "norm2"), block.mlp_norm);
  }
  if (!model.config.without_final_norm) to.add_norm(prefix + "norm", model.ends.final_norm);
  to.add_head("classes");
  return to.tensors;
}

/// What llama2.c reads, version 0.
inline std::string llama2c_bytes(const TinyModel& model) {
  const StoredModel sizes(model);
  const ModelConfig& config = model.config;
  const std::size_t dim = sizes.dim();
  const std::size_t hidden = sizes.hidden();
  const auto number = [](std::uint32_t value) { return bytes_of(std::vector<std::uint32_t>{value}); };
  std::string bytes = number(config.block.model_dim) + number(config.block.mlp_dim) + number(config.blocks) +
                      number(config.block.heads) + number(config.block.kv_heads) +
                      number(config.tied_head ? config.input_dim : 0U - config.input_dim) +
                      number(config.max_positions);
  const auto each = [&](std::size_t count, auto member) {
    for (const BlockWeights& block : model.blocks) bytes += tensor_bytes(member(block), count);
  };
  bytes += tensor_bytes(model.ends.input, config.input_dim * dim);
  each(dim, [](const BlockWeights& b) { return b.attention_norm.weight; });
  each(dim * dim, [](const BlockWeights& b) { return b.attention.query; });
  each(sizes.key() * dim, [](const BlockWeights& b) { return b.attention.key; });
  each(sizes.key() * dim, [](const BlockWeights& b) { return b.attention.value; });
  each(dim * dim, [](const BlockWeights& b) { return b.attention.output; });
  each(dim, [](const BlockWeights& b) { return b.mlp_norm.weight; });
  each(hidden * dim, [](const BlockWeights& b) { return b.gate; });
  each(dim * hidden, [](const BlockWeights& b) { return b.down; });
  each(hidden * dim, [](const BlockWeights& b) { return b.up; });
  bytes += tensor_bytes(model.ends.final_norm.weight, dim);
  bytes += std::string(2 * config.max_positions * (config.block.head_dim / 2) * sizeof(float), '\0');
  if (!config.tied_head) bytes += tensor_bytes(model.ends.head, config.outputs * dim);
  return bytes;
}

}  // namespace heed::test
