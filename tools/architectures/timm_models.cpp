// SPDX-License-Identifier: MIT
#include <cmath>

#include "architectures/common_members.hpp"
#include "architectures/encoder_ends.hpp"
#include "architectures/image_models.hpp"
#include "architectures/timm_architectures.hpp"
#include "tensors/family_tables.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t most_timm_size = 65536;

/// A whole number that may be 0.
std::uint32_t take_whole(PublishedConfig& arguments, const char* member) {
  const double value = arguments.take_number(member, 0.0);
  if (value >= 0.0 && value <= most_timm_size && value == std::floor(value)) return static_cast<std::uint32_t>(value);
  throw arguments.refused(member, "a whole number from 0 to 65536 is needed");
}

/// What the class is made with: the defaults, the file's own members, the architecture's and `model_args`, of which the
/// later count. A member of the file that counts for nothing is refused.
PublishedConfig take_timm_arguments(PublishedConfig& config, const std::string& architecture) {
  const std::optional<nlohmann::json> usual = timm_arguments(architecture);
  if (!usual)
    throw config.refused("architecture", architecture + " is said, which is not a VisionTransformer known here");
  nlohmann::json arguments = timm_defaults();
  const std::optional<nlohmann::json> classes = config.take("num_classes");
  const std::optional<nlohmann::json> pool = config.take("global_pool");
  if (classes) arguments["num_classes"] = *classes;
  if (pool) arguments["global_pool"] = *pool;
  arguments.update(*usual);
  if (const std::optional<nlohmann::json> said = config.take("model_args")) {
    if (!said->is_object()) throw config.refused("model_args", "an object is needed");
    if (said->contains("norm_epsilon")) throw config.refused("model_args", "norm_epsilon is no argument of timm's");
    arguments.update(*said);
  }
  if (classes && arguments.at("num_classes") != *classes) {
    throw config.refused("num_classes", "model_args says something else");
  }
  if (pool && arguments.at("global_pool") != *pool) {
    throw config.refused("global_pool", "the architecture or model_args says something else");
  }
  // The size of the images, of the argument or of what they are scaled to.
  const std::optional<nlohmann::json> images = config.take("pretrained_cfg");
  if (!arguments.contains("img_size") && images && images->is_object() && images->contains("input_size")) {
    const nlohmann::json& size = images->at("input_size");
    if (!size.is_array() || size.size() != 3) throw config.refused("pretrained_cfg", "input_size has three numbers");
    arguments["img_size"] = nlohmann::json::array({size[1], size[2]});
  }
  return {std::move(arguments), config.what() + ": model_args"};
}

/// Patches in an image: `img_size` is one number or two.
std::uint64_t take_patches(PublishedConfig& arguments, std::uint32_t patch) {
  const nlohmann::json size = arguments.take("img_size").value_or(nlohmann::json(224));
  std::uint64_t patches = 1;
  for (const nlohmann::json& side : size.is_array() && size.size() == 2 ? size : nlohmann::json::array({size, size})) {
    const bool right = side.is_number_unsigned() && side.get<std::uint64_t>() <= most_timm_size &&
                       side.get<std::uint64_t>() % patch == 0 && side.get<std::uint64_t>() != 0;
    if (!right) throw arguments.refused("img_size", "multiples of patch_size are needed");
    patches *= side.get<std::uint64_t>() / patch;
  }
  return patches;
}

std::string take_timm_activation(PublishedConfig& arguments) {
  const std::string word = arguments.take_word("act_layer", "gelu");
  if (word == "gelu") return "gelu_erf";
  if (word == "gelu_tanh" || word == "relu" || word == "silu") return word;
  throw arguments.refused("act_layer", word + " is said, and gelu, gelu_tanh, relu and silu are supported");
}

void take_timm_block(PublishedConfig& arguments, PublishedModel& model) {
  const std::uint32_t dim = arguments.take_count("embed_dim", 768);
  const std::uint32_t heads = arguments.take_count("num_heads", 12);
  if (dim % heads != 0) throw arguments.refused("num_heads", "it does not divide embed_dim");
  const double hidden = dim * take_positive(arguments, "mlp_ratio", 4.0);
  if (!(hidden >= 1.0 && hidden <= most_timm_size))
    throw arguments.refused("mlp_ratio", "1 to 65536 columns are supported");
  model.architecture["block"] = {{"model_dim", dim},
                                 {"heads", heads},
                                 {"kv_heads", heads},
                                 {"head_dim", dim / heads},
                                 {"mlp_dim", static_cast<std::uint32_t>(hidden)},
                                 {"norm", "layer_norm"},
                                 {"norm_placement", "before"},
                                 {"norm_epsilon", take_positive(arguments, "norm_epsilon", 1e-6)},
                                 {"activation", take_timm_activation(arguments)},
                                 {"gated", false}};
  if (arguments.take_flag("qk_norm", false)) {
    model.architecture["block"]["qk_norm"] = "heads";
    for (const FamilyName& name : {FamilyName{"query_norm", "@blocks.{}.attn.q_norm.weight"},
                                   FamilyName{"query_norm_bias", "@blocks.{}.attn.q_norm.bias"},
                                   FamilyName{"key_norm", "@blocks.{}.attn.k_norm.weight"},
                                   FamilyName{"key_norm_bias", "@blocks.{}.attn.k_norm.bias"}}) {
      model.family.names.push_back(name);
    }
  }
  if (!arguments.take_flag("qkv_bias", true)) remove_names(model.family, {"qkv_bias"});
  if (!arguments.take_flag("proj_bias", true)) remove_names(model.family, {"output_bias", "up_bias", "down_bias"});
  if (!arguments.take_optional_number("init_values", std::nullopt)) return;
  // The layer scale multiplies what attention and MLP add.
  for (FamilyName& name : model.family.names) {
    const std::string_view role = name.role;
    if (role == "output" || role == "output_bias") name.row_scale = "@blocks.{}.ls1.gamma";
    if (role == "down" || role == "down_bias") name.row_scale = "@blocks.{}.ls2.gamma";
  }
}

/// The rows before the patches, and their positions.
void take_timm_rows(PublishedConfig& arguments, PublishedModel& model) {
  const std::uint32_t patch = arguments.take_count("patch_size", 16);
  const std::uint32_t channels = arguments.take_count("in_chans", 3);
  if (patch > most_timm_size || channels > most_timm_size) throw arguments.refused("patch_size", "it is too large");
  const bool class_token = arguments.take_flag("class_token", true);
  const std::uint32_t registers = take_whole(arguments, "reg_tokens");
  const std::uint32_t before = registers + (class_token ? 1 : 0);
  model.architecture["input_dim"] = std::uint64_t{channels} * patch * patch;
  model.architecture["max_positions"] = take_patches(arguments, patch) + before;
  model.architecture["class_token"] = class_token;
  arguments.require("pos_embed", {"learn"});
  if (arguments.take_flag("no_embed_class", false)) model.family.missing_positions = before;
  if (registers != 0) {
    model.architecture["registers"] = registers;
    model.family.names.push_back({"register_tokens", "@reg_token"});
  }
  if (!class_token) remove_names(model.family, {"class_token"});
  if (!arguments.take_flag("pre_norm", false)) return;
  model.architecture["embedding_norm"] = true;
  remove_names(model.family, {"input_bias"});
  model.family.names.push_back({"embedding_norm", "@norm_pre.weight"});
  model.family.names.push_back({"embedding_norm_bias", "@norm_pre.bias"});
}

void take_timm_end(PublishedConfig& arguments, const std::string& part, PublishedModel& model) {
  const std::string pool = arguments.take_word("global_pool", "token");
  const bool class_token = model.architecture.at("class_token");
  const bool before = class_token || model.architecture.contains("registers");
  const bool whole = arguments.take_flag("pool_include_prefix", false);
  if (pool == "avg") {
    model.architecture["pooling"] = before && !whole ? "mean_of_rest" : "mean";
  } else if (pool == "token" && class_token) {
    model.architecture["pooling"] = "first";
  } else {
    throw arguments.refused("global_pool", pool + " is said, and token, with a class_token, and avg are supported");
  }
  const std::optional<nlohmann::json> said = arguments.take("fc_norm");
  if (said && !said->is_boolean()) throw arguments.refused("fc_norm", "true, false or null is needed");
  const bool after = said ? said->get<bool>() : pool == "avg";
  if (!arguments.take_flag("final_norm", true)) {
    model.architecture["final_norm"] = false;
    remove_names(model.family, {"final_norm", "final_norm_bias"});
  } else if (after) {
    model.architecture["norm_after_pooling"] = true;
    remove_names(model.family, {"final_norm", "final_norm_bias"});
    model.family.names.push_back({"final_norm", "@fc_norm.weight"});
    model.family.names.push_back({"final_norm_bias", "@fc_norm.bias"});
  }
  const std::uint32_t classes = take_whole(arguments, "num_classes");
  static_cast<void>(choose_part(part, {classes != 0 ? "head" : "features"}, model.name));
  if (classes != 0) {
    model.architecture["outputs"] = classes;
  } else {
    remove_names(model.family, {"head", "head_bias"});
  }
}

}  // namespace

PublishedModel read_timm(PublishedConfig& config, const std::string& part) {
  const std::string architecture = config.take_word("architecture", "");
  PublishedConfig arguments = take_timm_arguments(config, architecture);
  PublishedModel model{.name = "timm's " + architecture, .architecture = {}, .family = timm_vit_family()};
  take_timm_block(arguments, model);
  model.architecture["blocks"] = arguments.take_count("depth", 12);
  model.architecture["input"] = "frames";
  model.architecture["causal"] = false;
  model.architecture["positions"] = "learned";
  take_timm_rows(arguments, model);
  take_timm_end(arguments, part, model);
  arguments.require("scale_attn_norm", {false});
  arguments.require("scale_mlp_norm", {false});
  arguments.leave({"dynamic_img_size", "drop_rate", "pos_drop_rate", "patch_drop_rate", "proj_drop_rate",
                   "attn_drop_rate", "drop_path_rate", "weight_init", "fix_init"});
  arguments.require("dynamic_img_pad", {false});
  arguments.finish();
  config.require("num_features", {model.architecture.at("block").at("model_dim")});
  config.leave({"label_names", "label_descriptions"});
  model.notes.push_back("frames are patches, [channels, height, width]");
  return model;
}

}  // namespace heed::tools
