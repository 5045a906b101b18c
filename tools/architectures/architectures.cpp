// SPDX-License-Identifier: MIT
#include "architectures/architectures.hpp"

#include "architectures/bert_like.hpp"
#include "architectures/common_members.hpp"
#include "architectures/generation_config.hpp"
#include "architectures/gpt_like.hpp"
#include "architectures/image_models.hpp"
#include "architectures/layer_patterns.hpp"
#include "architectures/llama_like.hpp"
#include "architectures/pair_models.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

struct KnownArchitecture {
  const char* type;        ///< `model_type`
  const char* class_name;  ///< how the names of its classes begin, before "ForCausalLM" or "Model"
  PublishedModel (*read)(PublishedConfig& config);
};

constexpr KnownArchitecture known_architectures[] = {{"llama", "Llama", &read_llama},
                                                     {"mistral", "Mistral", &read_mistral},
                                                     {"qwen2", "Qwen2", &read_qwen2},
                                                     {"qwen3", "Qwen3", &read_qwen3},
                                                     {"smollm3", "SmolLM3", &read_smollm3},
                                                     {"granite", "Granite", &read_granite},
                                                     {"phi3", "Phi3", &read_phi3},
                                                     {"gemma", "Gemma", &read_gemma},
                                                     {"gemma2", "Gemma2", &read_gemma2},
                                                     {"gemma3_text", "Gemma3", &read_gemma3},
                                                     {"gpt2", "GPT2", &read_gpt2},
                                                     {"gpt_neox", "GPTNeoX", &read_gpt_neox},
                                                     {"opt", "OPT", &read_opt}};

/// Those of which a folder has several models, or one with several results.
struct ArchitectureInParts {
  const char* type;
  const char* class_name;
  PublishedModel (*read)(PublishedConfig& config, const std::string& part);
};

constexpr ArchitectureInParts architectures_in_parts[] = {{"bert", "Bert", &read_bert},
                                                          {"roberta", "Roberta", &read_roberta},
                                                          {"xlm-roberta", "XLMRoberta", &read_xlm_roberta},
                                                          {"distilbert", "DistilBert", &read_distilbert},
                                                          {"vit", "ViT", &read_vit},
                                                          {"deit", "DeiT", &read_deit},
                                                          {"t5", "T5", &read_t5},
                                                          {"whisper", "Whisper", &read_whisper}};

/// Two names of a member of a type, by the `attribute_map` of its class in release 5 of transformers.
struct MemberAlias {
  const char* type;
  const char* alias;
  const char* member;
};

constexpr MemberAlias member_aliases[] = {{"gpt2", "hidden_size", "n_embd"},
                                          {"gpt2", "num_attention_heads", "n_head"},
                                          {"gpt2", "num_hidden_layers", "n_layer"},
                                          {"gpt2", "max_position_embeddings", "n_positions"},
                                          {"distilbert", "hidden_size", "dim"},
                                          {"distilbert", "num_attention_heads", "n_heads"},
                                          {"distilbert", "num_hidden_layers", "n_layers"},
                                          {"t5", "hidden_size", "d_model"},
                                          {"t5", "num_attention_heads", "num_heads"},
                                          {"t5", "num_hidden_layers", "num_layers"},
                                          {"t5", "head_dim", "d_kv"},
                                          {"whisper", "hidden_size", "d_model"},
                                          {"whisper", "num_attention_heads", "encoder_attention_heads"}};

std::string known_types() {
  std::string text;
  const auto add = [&](const char* type) { text += (text.empty() ? "" : ", ") + std::string(type); };
  for (const KnownArchitecture& known : known_architectures) add(known.type);
  for (const ArchitectureInParts& known : architectures_in_parts) add(known.type);
  return text;
}

PublishedModel read_type(PublishedConfig& config, const std::string& type, const std::string& part) {
  for (const KnownArchitecture& known : known_architectures) {
    if (type != known.type) continue;
    if (!part.empty()) throw Failure("--part " + part + ": " + type + " has one part");
    return known.read(config);
  }
  for (const ArchitectureInParts& known : architectures_in_parts) {
    if (type == known.type) return known.read(config, part);
  }
  throw config.refused("model_type", type + " is said, and " + known_types() + " are supported");
}

/// The type of a class, "gpt2" of GPT2LMHeadModel; empty if it is of none of them.
std::string type_of_class(const std::string& name) {
  std::string found;
  const auto compare = [&](const char* type, std::string_view beginning) {
    if (!name.starts_with(beginning)) return;
    const std::string_view rest = std::string_view(name).substr(beginning.size());
    const bool whole = rest.starts_with("For") || rest == "Model" || rest == "LMHeadModel" || rest == "EncoderModel";
    if (whole) found = type;
  };
  for (const KnownArchitecture& known : known_architectures) compare(known.type, known.class_name);
  for (const ArchitectureInParts& known : architectures_in_parts) compare(known.type, known.class_name);
  return found;
}

/// `model_type`, or what --model-type says where it is missing, or what the class that `architectures` names is of.
std::string take_type(PublishedConfig& config, const std::string& given) {
  std::string said = config.take_word("model_type", "");
  if (!said.empty() && !given.empty() && said != given) {
    throw config.refused("model_type", said + " is said, and " + given + " by --model-type");
  }
  if (!said.empty()) return said;
  const nlohmann::json classes = config.peek("architectures", nullptr);
  const bool one = classes.is_array() && classes.size() == 1 && classes.front().is_string();
  const std::string inferred = one ? type_of_class(classes.front().get<std::string>()) : "";
  if (!given.empty() && !inferred.empty() && given != inferred) {
    throw config.refused("architectures", "a class of " + inferred + " is said, and " + given + " by --model-type");
  }
  std::string type = given.empty() ? inferred : given;
  if (!type.empty()) {
    config.note("model_type " + type + (given.empty() ? ", as architectures says" : ", as --model-type says"));
    return type;
  }
  throw config.refused("model_type", "it is missing, and architectures names no class of a known one; --model-type " +
                                         std::string("says which it is, one of ") + known_types());
}

PublishedModel read_any(PublishedConfig& config, const std::string& part, const std::string& type) {
  if (!config.has("model_type") && config.has("architecture")) return read_timm(config, part);
  const std::string known = take_type(config, type);
  for (const MemberAlias& one : member_aliases) {
    if (known == one.type) config.rename(one.alias, one.member);
  }
  config.leave_copy("emb_size", "hidden_size");
  config.leave_copy("sliding_window_size", "sliding_window");
  return read_type(config, known, part);
}

}  // namespace

PublishedModel read_published_model(PublishedConfig config, const std::string& part, const std::string& type) {
  PublishedModel model = read_any(config, part, type);
  require_layer_types(config, model.architecture);
  const std::string ids = take_token_ids(config);
  config.finish();
  require_names(model.family, model.architecture.value("tied_head", false));
  if (!ids.empty()) model.notes.push_back("tokens: " + ids);
  return model;
}

}  // namespace heed::tools
