// SPDX-License-Identifier: MIT
#include "architectures/bert_like.hpp"

#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

constexpr PoolerNames bert_pooler{"tanh", "@pooler.dense.weight", "@pooler.dense.bias"};
constexpr PoolerNames roberta_pooler{"tanh", "classifier.dense.weight", "classifier.dense.bias"};
constexpr PoolerNames distilbert_pooler{"relu", "pre_classifier.weight", "pre_classifier.bias"};

/// The classes of a family whose names begin alike.
std::vector<EncoderClass> classes_of(const std::string& name) {
  return {{name + "Model", EncoderEnd::rows},
          {name + "ForSequenceClassification", EncoderEnd::sequence},
          {name + "ForTokenClassification", EncoderEnd::tokens},
          {name + "ForMaskedLM", EncoderEnd::masked},
          {name + "ForPreTraining", EncoderEnd::masked}};
}

struct EncoderSizes {
  std::uint32_t dim;
  std::uint32_t heads;
  std::uint32_t mlp_dim;
  std::uint32_t blocks;
  std::uint32_t vocabulary;
  std::uint32_t positions;
};

nlohmann::json encoder_architecture(const EncoderSizes& sizes, const PublishedConfig& config,
                                    const char* heads_member) {
  if (sizes.dim % sizes.heads != 0) throw config.refused(heads_member, "it does not divide the width of the rows");
  nlohmann::json architecture;
  architecture["block"] = {{"model_dim", sizes.dim},
                           {"heads", sizes.heads},
                           {"kv_heads", sizes.heads},
                           {"head_dim", sizes.dim / sizes.heads},
                           {"mlp_dim", sizes.mlp_dim},
                           {"norm", "layer_norm"},
                           {"norm_placement", "after"},
                           {"norm_epsilon", 1e-12},
                           {"gated", false}};
  architecture["blocks"] = sizes.blocks;
  architecture["input_dim"] = sizes.vocabulary;
  architecture["max_positions"] = sizes.positions;
  architecture["input"] = "tokens";
  architecture["causal"] = false;
  architecture["positions"] = "learned";
  architecture["embedding_norm"] = true;
  architecture["final_norm"] = false;
  return architecture;
}

/// Members without meaning here, after those that have one.
void leave_encoder_members(PublishedConfig& config) {
  leave_common_members(config);
  config.leave({"hidden_dropout_prob", "attention_probs_dropout_prob", "tie_word_embeddings"});
}

/// BERT and what has its names; positions begin at row `first` of their table.
PublishedModel take_bert(PublishedConfig& config, const std::string& part, const std::string& name,
                         std::uint32_t vocabulary, std::uint32_t first, const PoolerNames& sequence,
                         ModelFamily family) {
  const EncoderClass chosen = take_encoder_class(config, classes_of(name));
  PublishedModel model{.name = chosen.name, .architecture = {}, .family = std::move(family)};
  const std::uint32_t positions = config.take_count("max_position_embeddings", 512);
  if (positions <= first) {
    throw config.refused("max_position_embeddings", "positions begin at row " + std::to_string(first));
  }
  model.architecture =
      encoder_architecture({config.take_count("hidden_size", 768), config.take_count("num_attention_heads", 12),
                            config.take_count("intermediate_size", 3072), config.take_count("num_hidden_layers", 12),
                            config.take_count("vocab_size", vocabulary), positions - first},
                           config, "num_attention_heads");
  nlohmann::json& block = model.architecture["block"];
  block["norm_epsilon"] = take_positive(config, "layer_norm_eps", 1e-12);
  block["activation"] = activation_of(config, "hidden_act", config.take_word("hidden_act", "gelu"));
  const std::uint32_t types = config.take_count("type_vocab_size", 2);
  model.family.token_types = types == 1 ? TokenTypes::one : TokenTypes::several;
  if (types != 1) model.architecture["token_types"] = types;
  model.family.skipped_positions = first;
  config.require("position_embedding_type", {"absolute"});
  add_encoder_end(config, chosen.end, part, &bert_pooler, &sequence, model);
  if (chosen.end == EncoderEnd::sequence && &sequence == &roberta_pooler) {
    remove_names(model.family, {"head", "head_bias"});
    model.family.names.push_back({"head", "classifier.out_proj.weight"});
    model.family.names.push_back({"head_bias", "classifier.out_proj.bias"});
  }
  if (chosen.end == EncoderEnd::masked) model.family.other_parts = {"cls.", "lm_head."};
  leave_encoder_members(config);
  config.leave({"directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                "pooler_size_per_head", "pooler_type"});
  return model;
}

PublishedModel take_roberta(PublishedConfig& config, const std::string& part, const std::string& name,
                            std::uint32_t vocabulary) {
  // The first token has the position after that of padding.
  const double padding = config.take_number("pad_token_id", 1);
  const auto first = static_cast<std::uint32_t>(padding < 0 || padding > 65535 ? 0 : padding) + 1;
  if (first - 1 != padding) throw config.refused("pad_token_id", "a whole number from 0 to 65535 is needed");
  PublishedModel model = take_bert(config, part, name, vocabulary, first, roberta_pooler, roberta_family());
  // The library's positions count the tokens that are not padding.
  if (first <= model.architecture.at("input_dim")) model.architecture["excluded_token"] = first;
  return model;
}

ModelFamily distilbert_family() {
  return {.name = "distilbert",
          .prefixes = {"distilbert.", ""},
          .names = {{"input", "@embeddings.word_embeddings.weight"},
                    {"positions", "@embeddings.position_embeddings.weight"},
                    {"embedding_norm", "@embeddings.LayerNorm.weight"},
                    {"embedding_norm_bias", "@embeddings.LayerNorm.bias"},
                    {"query", "@transformer.layer.{}.attention.q_lin.weight"},
                    {"query_bias", "@transformer.layer.{}.attention.q_lin.bias"},
                    {"key", "@transformer.layer.{}.attention.k_lin.weight"},
                    {"key_bias", "@transformer.layer.{}.attention.k_lin.bias"},
                    {"value", "@transformer.layer.{}.attention.v_lin.weight"},
                    {"value_bias", "@transformer.layer.{}.attention.v_lin.bias"},
                    {"output", "@transformer.layer.{}.attention.out_lin.weight"},
                    {"output_bias", "@transformer.layer.{}.attention.out_lin.bias"},
                    {"attention_norm", "@transformer.layer.{}.sa_layer_norm.weight"},
                    {"attention_norm_bias", "@transformer.layer.{}.sa_layer_norm.bias"},
                    {"up", "@transformer.layer.{}.ffn.lin1.weight"},
                    {"up_bias", "@transformer.layer.{}.ffn.lin1.bias"},
                    {"down", "@transformer.layer.{}.ffn.lin2.weight"},
                    {"down_bias", "@transformer.layer.{}.ffn.lin2.bias"},
                    {"mlp_norm", "@transformer.layer.{}.output_layer_norm.weight"},
                    {"mlp_norm_bias", "@transformer.layer.{}.output_layer_norm.bias"},
                    {"head", "classifier.weight"},
                    {"head_bias", "classifier.bias"}},
          .facts = {},
          .buffers = {"@embeddings.position_ids"}};
}

}  // namespace

PublishedModel read_bert(PublishedConfig& config, const std::string& part) {
  return take_bert(config, part, "Bert", 30522, 0, bert_pooler, bert_family());
}

PublishedModel read_roberta(PublishedConfig& config, const std::string& part) {
  return take_roberta(config, part, "Roberta", 50265);
}

PublishedModel read_xlm_roberta(PublishedConfig& config, const std::string& part) {
  return take_roberta(config, part, "XLMRoberta", 250002);
}

PublishedModel read_distilbert(PublishedConfig& config, const std::string& part) {
  const EncoderClass chosen = take_encoder_class(config, classes_of("DistilBert"));
  PublishedModel model{.name = chosen.name, .architecture = {}, .family = distilbert_family()};
  model.architecture =
      encoder_architecture({config.take_count("dim", 768), config.take_count("n_heads", 12),
                            config.take_count("hidden_dim", 3072), config.take_count("n_layers", 6),
                            config.take_count("vocab_size", 30522), config.take_count("max_position_embeddings", 512)},
                           config, "n_heads");
  model.architecture["block"]["activation"] =
      activation_of(config, "activation", config.take_word("activation", "gelu"));
  // Of training alone: the table is in the file.
  config.leave({"sinusoidal_pos_embds", "qa_dropout", "seq_classif_dropout", "tie_weights_"});
  add_encoder_end(config, chosen.end, part, nullptr, &distilbert_pooler, model);
  if (chosen.end == EncoderEnd::masked) {
    model.family.other_parts = {"vocab_transform.", "vocab_layer_norm.", "vocab_projector."};
  }
  leave_encoder_members(config);
  return model;
}

}  // namespace heed::tools
