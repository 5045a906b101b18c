// SPDX-License-Identifier: MIT
#include "architectures/common_members.hpp"

#include <algorithm>

namespace heed::tools {

void leave_common_members(PublishedConfig& config) {
  if (config.says("quantization_config")) {
    throw config.refused("quantization_config", "quantized weights are not supported; save the model in floats");
  }
  config.require("quantization_config", {});
  config.require("pruned_heads", {nlohmann::json::object()});
  config.require("is_encoder_decoder", {false});
  config.require("add_cross_attention", {false});
  config.require("cross_attention_hidden_size", {});
  config.require("tie_encoder_decoder", {false});
  // How numbers are stored and computed elsewhere, who wrote the file, and what is returned beside the logits.
  config.leave({"torch_dtype",
                "dtype",
                "use_bfloat16",
                "transformers_version",
                "_name_or_path",
                "name_or_path",
                "_commit_hash",
                "model_type",
                "auto_map",
                "transformers.js_config",
                "attn_implementation",
                "_attn_implementation",
                "_attn_implementation_autoset",
                "torchscript",
                "return_dict",
                "use_return_dict",
                "output_hidden_states",
                "output_attentions",
                "use_cache",
                "cache_implementation",
                "tf_legacy_loss",
                "chunk_size_feed_forward",
                "gradient_checkpointing",
                "pretraining_tp"});
  // Training.
  config.leave({"initializer_range", "init_std", "attention_dropout", "hidden_dropout", "activation_dropout", "dropout",
                "embd_pdrop", "resid_pdrop", "attn_pdrop", "classifier_dropout", "layerdrop", "problem_type",
                "finetuning_task", "task_specific_params", "id2label", "label2id", "num_labels"});
  // Tokens, and how texts are generated.
  config.leave({"sep_token_id",
                "forced_bos_token_id",
                "forced_eos_token_id",
                "tokenizer_class",
                "prefix",
                "bad_words_ids",
                "begin_suppress_tokens",
                "suppress_tokens",
                "do_sample",
                "early_stopping",
                "exponential_decay_length_penalty",
                "diversity_penalty",
                "encoder_no_repeat_ngram_size",
                "length_penalty",
                "max_length",
                "min_length",
                "no_repeat_ngram_size",
                "num_beam_groups",
                "num_beams",
                "num_return_sequences",
                "output_scores",
                "remove_invalid_values",
                "repetition_penalty",
                "return_dict_in_generate",
                "temperature",
                "top_k",
                "top_p",
                "typical_p"});
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
