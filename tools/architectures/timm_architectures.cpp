// SPDX-License-Identifier: MIT
#include "architectures/timm_architectures.hpp"

#include <algorithm>
#include <string_view>

namespace heed::tools {

namespace {

/// "#" stands for the size of the images.
struct TimmArchitecture {
  const char* name;
  std::uint32_t embed_dim;
  std::uint32_t depth;
  std::uint32_t num_heads;
  std::uint32_t patch_size;
  const char* others = "{}";
};

constexpr const char* timm_gap =
    R"({"class_token": false, "global_pool": "avg", "qkv_bias": false, "init_values": 1e-6, "fc_norm": false})";
constexpr const char* timm_clip = R"({"pre_norm": true, "norm_epsilon": 1e-5})";
constexpr const char* timm_dino = R"({"init_values": 1e-5})";
constexpr const char* timm_dino_registers = R"({"init_values": 1e-5, "reg_tokens": 4, "no_embed_class": true})";
constexpr const char* one_register_gap =
    R"({"init_values": 1e-5, "class_token": false, "no_embed_class": true, "reg_tokens": 1, "global_pool": "avg"})";
constexpr const char* four_registers_gap =
    R"({"init_values": 1e-5, "class_token": false, "no_embed_class": true, "reg_tokens": 4, "global_pool": "avg"})";
constexpr const char* timm_mean = R"({"global_pool": "avg"})";
constexpr const char* timm_bare = R"({"no_embed_class": true})";
constexpr const char* timm_deit3 = R"({"no_embed_class": true, "init_values": 1e-6})";

constexpr TimmArchitecture timm_table[] = {
    {"vit_tiny_patch16_#", 192, 12, 3, 16},
    {"vit_small_patch32_#", 384, 12, 6, 32},
    {"vit_small_patch16_#", 384, 12, 6, 16},
    {"vit_small_patch8_#", 384, 12, 6, 8},
    {"vit_base_patch32_#", 768, 12, 12, 32},
    {"vit_base_patch16_#", 768, 12, 12, 16},
    {"vit_base_patch8_#", 768, 12, 12, 8},
    {"vit_large_patch32_#", 1024, 24, 16, 32},
    {"vit_large_patch16_#", 1024, 24, 16, 16},
    {"vit_large_patch14_#", 1024, 24, 16, 14},
    {"vit_huge_patch14_#", 1280, 32, 16, 14},
    {"vit_medium_patch16_gap_#", 512, 12, 8, 16, timm_gap},
    {"vit_betwixt_patch16_gap_#", 640, 12, 10, 16, timm_gap},
    {"vit_xsmall_patch16_clip_#", 256, 10, 4, 16, timm_clip},
    {"vit_medium_patch32_clip_#", 512, 12, 8, 32, timm_clip},
    {"vit_medium_patch16_clip_#", 512, 12, 8, 16, timm_clip},
    {"vit_betwixt_patch32_clip_#", 640, 12, 10, 32, timm_clip},
    {"vit_base_patch32_clip_#", 768, 12, 12, 32, timm_clip},
    {"vit_base_patch16_clip_#", 768, 12, 12, 16, timm_clip},
    {"vit_large_patch14_clip_#", 1024, 24, 16, 14, timm_clip},
    {"vit_huge_patch14_clip_#", 1280, 32, 16, 14, timm_clip},
    {"vit_small_patch14_dinov2", 384, 12, 6, 14, timm_dino},
    {"vit_base_patch14_dinov2", 768, 12, 12, 14, timm_dino},
    {"vit_large_patch14_dinov2", 1024, 24, 16, 14, timm_dino},
    {"vit_small_patch14_reg4_dinov2", 384, 12, 6, 14, timm_dino_registers},
    {"vit_base_patch14_reg4_dinov2", 768, 12, 12, 14, timm_dino_registers},
    {"vit_large_patch14_reg4_dinov2", 1024, 24, 16, 14, timm_dino_registers},
    {"vit_medium_patch16_reg1_gap_#", 512, 12, 8, 16, one_register_gap},
    {"vit_medium_patch16_reg4_gap_#", 512, 12, 8, 16, four_registers_gap},
    {"vit_mediumd_patch16_reg4_gap_#", 512, 20, 8, 16, four_registers_gap},
    {"vit_betwixt_patch16_reg1_gap_#", 640, 12, 10, 16, one_register_gap},
    {"vit_betwixt_patch16_reg4_gap_#", 640, 12, 10, 16, four_registers_gap},
    {"eva_large_patch14_#", 1024, 24, 16, 14, timm_mean},
    {"flexivit_small", 384, 12, 6, 16, timm_bare},
    {"flexivit_base", 768, 12, 12, 16, timm_bare},
    {"flexivit_large", 1024, 24, 16, 16, timm_bare},
    {"deit_tiny_patch16_#", 192, 12, 3, 16},
    {"deit_small_patch16_#", 384, 12, 6, 16},
    {"deit_base_patch16_#", 768, 12, 12, 16},
    {"deit3_small_patch16_#", 384, 12, 6, 16, timm_deit3},
    {"deit3_medium_patch16_#", 512, 12, 8, 16, timm_deit3},
    {"deit3_base_patch16_#", 768, 12, 12, 16, timm_deit3},
    {"deit3_large_patch16_#", 1024, 24, 16, 16, timm_deit3},
    {"deit3_huge_patch14_#", 1280, 32, 16, 14, timm_deit3},
};

/// Whether a name is the pattern with digits in place of "#".
bool is_named(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('#')) return pattern == name;
  const std::string_view start = pattern.substr(0, pattern.size() - 1);
  if (!name.starts_with(start) || name.size() == start.size()) return false;
  const std::string_view size = name.substr(start.size());
  return std::all_of(size.begin(), size.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

nlohmann::json timm_defaults() {
  return nlohmann::json::parse(R"({
    "in_chans": 3, "num_classes": 1000, "global_pool": "token", "mlp_ratio": 4.0, "qkv_bias": true, "qk_norm": false,
    "proj_bias": true, "init_values": null, "class_token": true, "pos_embed": "learn", "no_embed_class": false,
    "reg_tokens": 0, "pre_norm": false, "final_norm": true, "fc_norm": null, "pool_include_prefix": false,
    "norm_epsilon": 1e-6, "act_layer": "gelu"})");
}

std::optional<nlohmann::json> timm_arguments(const std::string& architecture) {
  for (const TimmArchitecture& known : timm_table) {
    if (!is_named(known.name, architecture)) continue;
    nlohmann::json arguments = nlohmann::json::parse(known.others);
    arguments["embed_dim"] = known.embed_dim;
    arguments["depth"] = known.depth;
    arguments["num_heads"] = known.num_heads;
    arguments["patch_size"] = known.patch_size;
    return arguments;
  }
  return {};
}

}  // namespace heed::tools
