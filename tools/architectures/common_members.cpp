// SPDX-License-Identifier: MIT
#include "architectures/common_members.hpp"

#include <algorithm>

#include "architectures/generation_config.hpp"

namespace heed::tools {

namespace {

/// Members that change no result: of the base of all configurations in release 5 of transformers, and of earlier
/// releases and other programs, as files that they wrote have them. How numbers are stored and computed elsewhere, who
/// wrote the file, what is returned beside the logits; training; and tokens.
constexpr const char* without_meaning[] = {"torch_dtype",
                                           "dtype",
                                           "use_bfloat16",
                                           "transformers_version",
                                           "_name_or_path",
                                           "name_or_path",
                                           "model_name",
                                           "_commit_hash",
                                           "model_type",
                                           "auto_map",
                                           "transformers.js_config",
                                           "attn_implementation",
                                           "_attn_implementation",
                                           "_attn_implementation_autoset",
                                           "_attn_implementation_internal",
                                           "experts_implementation",
                                           "_experts_implementation",
                                           "_experts_implementation_internal",
                                           "_flash_attn_2_enabled",
                                           "torchscript",
                                           "xla_device",
                                           "return_dict",
                                           "use_return_dict",
                                           "output_hidden_states",
                                           "output_attentions",
                                           "output_past",
                                           "use_cache",
                                           "cache_implementation",
                                           "tf_legacy_loss",
                                           "loss_type",
                                           "chunk_size_feed_forward",
                                           "gradient_checkpointing",
                                           "pretraining_tp",
                                           "unsloth_version",
                                           "unsloth_fixed",
                                           "initializer_range",
                                           "init_std",
                                           "attention_dropout",
                                           "hidden_dropout",
                                           "activation_dropout",
                                           "dropout",
                                           "embd_pdrop",
                                           "resid_pdrop",
                                           "attn_pdrop",
                                           "classifier_dropout",
                                           "layerdrop",
                                           "problem_type",
                                           "finetuning_task",
                                           "task_specific_params",
                                           "id2label",
                                           "label2id",
                                           "num_labels",
                                           "_num_labels",
                                           "n_special",
                                           "predict_special_tokens",
                                           "max_sequence_length",
                                           "sep_token_id",
                                           "tokenizer_class",
                                           "prefix"};

/// What says that a model is of another kind, unless it is null or has its default, which is this.
struct UsualMember {
  const char* name;
  const char* usual;  ///< as JSON
};

constexpr UsualMember usual_members[] = {{"pruned_heads", "{}"},           {"is_encoder_decoder", "false"},
                                         {"is_decoder", "false"},          {"add_cross_attention", "false"},
                                         {"tie_encoder_decoder", "false"}, {"cross_attention_hidden_size", "null"},
                                         {"per_layer_config", "null"}};

/// A CrossEncoder of sentence-transformers applies a function to what the head gives.
void note_score_function(PublishedConfig& config) {
  std::optional<nlohmann::json> function = config.take("sbert_ce_default_activation_function");
  if (std::optional<PublishedConfig> newer = config.take_object("sentence_transformers")) {
    if (const std::optional<nlohmann::json> said = newer->take("activation_fn")) function = said;
    newer->leave({"version"});
    newer->finish();
  }
  if (!function) return;
  if (!function->is_string()) throw config.refused("activation_fn", "the name of a class is needed");
  config.note("a CrossEncoder of sentence-transformers applies " + function->get<std::string>() +
              " to the outputs, which are here as they are before it");
}

}  // namespace

void leave_common_members(PublishedConfig& config) {
  if (config.says("quantization_config")) {
    throw config.refused("quantization_config", "quantized weights are not supported; save the model in floats");
  }
  config.require("quantization_config", {});
  for (const UsualMember& member : usual_members) config.require(member.name, {nlohmann::json::parse(member.usual)});
  note_score_function(config);
  config.leave(without_meaning);
  config.leave(sampling_members);
}

void leave_decoder_members(PublishedConfig& config) {
  config.leave({"is_decoder"});  // they see what came before in any case
  leave_common_members(config);
}

std::string take_class(PublishedConfig& config, const std::string& needed) {
  const std::optional<std::vector<std::string>> classes = config.take_words("architectures");
  if (!classes) return needed;
  if (classes->size() == 1 && classes->front() == needed) return needed;
  std::string said;
  for (const std::string& name : *classes) said += (said.empty() ? "" : ", ") + name;
  throw config.refused("architectures",
                       (said.empty() ? "nothing" : said) + " is said, and " + needed + " is supported");
}

std::string activation_of(const PublishedConfig& config, const char* member, const std::string& word) {
  if (word == "gelu" || word == "gelu_python") return "gelu_erf";
  if (word == "gelu_new" || word == "gelu_pytorch_tanh" || word == "gelu_fast" || word == "gelu_python_tanh") {
    return "gelu_tanh";
  }
  if (word == "silu" || word == "swish") return "silu";
  if (word == "relu") return word;
  throw config.refused(member, word +
                                   " is said, and gelu, gelu_new, gelu_pytorch_tanh, gelu_fast, silu, swish and relu "
                                   "are supported");
}

std::uint32_t take_layers(PublishedConfig& config, const char* member, std::uint32_t by_default) {
  constexpr std::uint32_t most = 65536;  // of a ModelConfig
  const std::uint32_t layers = config.take_count(member, by_default);
  if (layers <= most) return layers;
  throw config.refused(member,
                       std::to_string(layers) + " is said, and at most " + std::to_string(most) + " are supported");
}

double take_positive(PublishedConfig& config, const char* member, double by_default) {
  const double value = config.take_number(member, by_default);
  if (value > 0.0) return value;
  throw config.refused(member, std::to_string(value) + " is said, and a positive number is needed");
}

void remove_names(ModelFamily& family, std::initializer_list<std::string_view> roles) {
  std::erase_if(family.names, [&](const FamilyName& name) {
    return std::any_of(roles.begin(), roles.end(), [&](std::string_view role) {
      return role == name.role || (role == "_bias" && std::string_view(name.role).ends_with(role));
    });
  });
}

void fold(ModelFamily& family, std::string_view role, double scale, double added) {
  const std::string bias = std::string(role) + "_bias";
  for (FamilyName& name : family.names) {
    if (role != name.role && bias != name.role) continue;
    name.fold.scale *= scale;
    if (role == name.role) name.fold.added += added;
  }
}

void require_names(ModelFamily& family, bool tied_head) {
  for (FamilyName& name : family.names) {
    const std::string_view role = name.role;
    name.required = !tied_head || (role != "input" && role != "head");
  }
}

}  // namespace heed::tools
