// SPDX-License-Identifier: MIT
//
// How the plan of a transformer block follows from its configuration.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/format.hpp"
#include "heed/heed_model.h"
#include "heed/heed_model_config.h"
#include "heed/layer.hpp"
#include "heed/linear.hpp"
#include "heed/options.hpp"
#include "heed/types.hpp"

namespace heed::detail {

[[nodiscard]] constexpr bool is_positive_finite(float x) noexcept {
  return x > 0.0F && (std::bit_cast<std::uint32_t>(x) >> 23) < 255;
}

struct MemberType {
  const char* member;
  DataType type;
};

/// Replaces what is 0 by what it means.
template <class Say>
[[nodiscard]] constexpr Status complete(BlockConfig& config, BlockMemory& memory, Say say) noexcept {
  if (config.norm_epsilon == 0.0F) config.norm_epsilon = 1e-5F;
  if (memory.rows == 0) memory.rows = 1;
  if (memory.workers == 0) memory.workers = 1;
  if (config.model_dim > max_dimension) return say(Status::too_large, "model_dim", config.model_dim, 1, max_dimension);
  if (memory.rows > max_rows) return say(Status::too_large, "rows", memory.rows, 1, max_rows);
  if (config.mlp_dim == 0) config.mlp_dim = 4 * config.model_dim;
  if (config.mlp_dim > max_dimension) return say(Status::too_large, "mlp_dim", config.mlp_dim, 1, max_dimension);
  const auto unknown = [&](const char* member, auto value, auto most) {
    return say(Status::bad_option, member, value, 0, most);
  };
  if (config.norm > Norm::rms_norm) return unknown("norm", config.norm, Norm::rms_norm);
  if (config.norm_placement > NormPlacement::parallel) {
    return unknown("norm_placement", config.norm_placement, NormPlacement::parallel);
  }
  if (config.cross_dim != 0 && config.norm_placement > NormPlacement::after) {
    return say(Status::bad_option, "norm_placement", config.norm_placement, 0, 1,
               "is before or after with a cross_dim");
  }
  if (config.qk_norm > QkNorm::heads) return unknown("qk_norm", config.qk_norm, QkNorm::heads);
  if (config.score_softcap != 0.0F &&
      !(config.score_softcap >= least_softcap && config.score_softcap <= greatest_softcap)) {
    return say(Status::bad_option, "score_softcap", config.score_softcap, least_softcap, greatest_softcap);
  }
  if (config.score_softcap != 0.0F && config.cross_dim != 0) {
    return say(Status::bad_option, "score_softcap", config.score_softcap, 0, 0, "is for blocks without a cross_dim");
  }
  if (config.activation > Activation::silu) return unknown("activation", config.activation, Activation::silu);
  for (const auto& [member, type] :
       {MemberType{"mlp_row_type", config.mlp_row_type}, MemberType{"down_row_type", config.down_row_type}}) {
    const Status status = check_types("weight_type", config.weight_type, member, type, say);
    if (status != Status::ok) return status;
  }
  return is_positive_finite(config.norm_epsilon)
             ? Status::ok
             : say(Status::bad_option, "norm_epsilon", config.norm_epsilon, 0, 0x1.fffffep127F, "must be positive");
}

[[nodiscard]] constexpr MultiHeadConfig layer_config(const BlockConfig& block, const BlockMemory& memory,
                                                     bool cross) noexcept {
  return {.model_dim = block.model_dim,
          .heads = block.heads,
          .kv_heads = block.kv_heads,
          .head_dim = block.head_dim,
          .kv_input_dim = cross ? block.cross_dim : 0,
          .max_keys = cross ? memory.max_cross_keys : memory.max_keys,
          .workers = memory.workers,
          .scratch_budget = memory.scratch_budget,
          .weight_type = block.weight_type,
          .row_type = block.row_type,
          .output_row_type = block.output_row_type,
          .key_type = cross ? memory.cross_type : memory.key_type,
          .value_type = cross ? memory.cross_type : memory.value_type,
          .ring = cross ? 0 : memory.ring,
          .sink_tokens = cross ? 0 : memory.sink_tokens};
}

constexpr NormPlan lay_out_norm(Layout& layout, Norm norm, std::uint32_t dim) noexcept {
  NormPlan plan;
  plan.weight = layout.add(RegionName::norm_weight, dim, 1, sizeof(float));
  if (norm == Norm::layer_norm) plan.bias = layout.add(RegionName::norm_bias, dim, 1, sizeof(float));
  return plan;
}

constexpr void lay_out_state(BlockPlan& plan, Layout& layout) noexcept {
  plan.attention_state = layout.add(RegionName::key_value_cache, plan.attention.state_bytes, 1, 1);
  if (plan.config.cross_dim != 0) plan.cross_state = layout.add(RegionName::cross_cache, plan.cross.state_bytes, 1, 1);
  plan.state_bytes = layout.bytes();
}

constexpr void lay_out_mlp_scratch(const BlockConfig& config, const BlockMemory& memory, MlpPlan& plan,
                                   Layout& layout) noexcept {
  const std::uint64_t width = round_up(config.mlp_dim, panel_width);
  const std::uint32_t parts = workers_with_rows(memory.workers, memory.rows);
  const std::uint64_t rows = std::uint64_t{parts} * plan.rows;
  plan.hidden = layout.add(RegionName::hidden_rows, rows, width, sizeof(float));
  if (config.gated) plan.gate_rows = layout.add(RegionName::gate_rows, rows, width, sizeof(float));
  plan.staging = lay_out_staging(layout, {&plan.up, &plan.down}, memory.workers, plan.rows, parts);
}

/// Rows of model_dim of a branch for one that goes through the block: parallel branches have one each.
[[nodiscard]] constexpr std::uint64_t branches_of(const BlockConfig& config) noexcept {
  return config.norm_placement == NormPlacement::parallel ? 2 : 1;
}

[[nodiscard]] constexpr bool lay_out_scratch(BlockPlan& plan) noexcept {
  const std::uint32_t budget = plan.memory.scratch_budget == 0 ? 256 * 1024 : plan.memory.scratch_budget;
  Layout before_hidden;
  plan.branch = before_hidden.add(RegionName::branch_rows, branches_of(plan.config) * plan.memory.rows,
                                  plan.config.model_dim, sizeof(float));
  MlpPlan& mlp = plan.mlp;
  for (mlp.rows = plan.memory.rows < 64 ? plan.memory.rows : 64;; mlp.rows = (mlp.rows + 1) / 2) {
    Layout hidden = before_hidden;
    lay_out_mlp_scratch(plan.config, plan.memory, mlp, hidden);
    const std::uint64_t budgets = std::uint64_t{budget} * workers_with_rows(plan.memory.workers, plan.memory.rows);
    const bool within = hidden.fits() && hidden.bytes() - before_hidden.bytes() <= budgets;
    if (!within && mlp.rows != 1) continue;
    Layout layer = before_hidden;
    const std::uint32_t cross = plan.config.cross_dim != 0 ? plan.cross.scratch_bytes : 0;
    const std::uint32_t most = plan.attention.scratch_bytes > cross ? plan.attention.scratch_bytes : cross;
    plan.layer_scratch = layer.add(RegionName::attention_scratch, most, 1, 1);
    plan.scratch_bytes = layer.bytes() > hidden.bytes() ? layer.bytes() : hidden.bytes();
    return hidden.fits() && layer.fits();
  }
}

constexpr void lay_out_weights(BlockPlan& plan, Layout& layout) noexcept {
  const BlockConfig& config = plan.config;
  plan.attention_norm = lay_out_norm(layout, config.norm, config.model_dim);
  plan.attention_weights = layout.add(RegionName::attention_weights, plan.attention.weights_bytes, 1, 1);
  if (config.cross_dim != 0) {
    plan.cross_norm = lay_out_norm(layout, config.norm, config.model_dim);
    plan.cross_weights = layout.add(RegionName::attention_weights, plan.cross.weights_bytes, 1, 1);
  }
  plan.mlp_norm = lay_out_norm(layout, config.norm, config.model_dim);
  const auto add = [&](std::uint32_t inputs, std::uint32_t outputs, DataType row_type, const LinearNames& names) {
    return lay_out_linear(layout, inputs, outputs, config.weight_type, row_type, true, names);
  };
  const std::uint32_t dim = config.model_dim;
  const std::uint32_t hidden = config.mlp_dim;
  using enum RegionName;
  if (config.gated) plan.mlp.gate = add(dim, hidden, config.mlp_row_type, {gate_weight, gate_scales, gate_bias});
  plan.mlp.up = add(dim, hidden, config.mlp_row_type, {up_weight, up_scales, up_bias});
  plan.mlp.down = add(hidden, dim, config.down_row_type, {down_weight, down_scales, down_bias});
  plan.products =
      joined_products(plan.attention.products, joined_products(products_of(config.weight_type, config.mlp_row_type),
                                                               products_of(config.weight_type, config.down_row_type)));
  if (config.qk_norm != QkNorm::none) {
    plan.query_norm = lay_out_norm(layout, config.norm, config.head_dim);
    plan.key_norm = lay_out_norm(layout, config.norm, config.head_dim);
  }
  if (config.norm_placement == NormPlacement::both) {
    plan.attention_output_norm = lay_out_norm(layout, config.norm, dim);
    plan.mlp_output_norm = lay_out_norm(layout, config.norm, dim);
  }
  plan.weights_bytes = layout.bytes();
}

/// make_plan() in place: `made` is empty before, and means nothing where there is no plan.
template <class Say>
[[nodiscard]] constexpr Status fill_block_plan(const BlockConfig& config, const BlockMemory& memory, BlockPlan& made,
                                               Say say) noexcept {
  made.config = config;
  made.memory = memory;
  Status status = complete(made.config, made.memory, say);
  if (status == Status::ok) status = make_plan(layer_config(made.config, made.memory, false), made.attention, say);
  if (status == Status::ok && config.cross_dim != 0) {
    status = make_plan(layer_config(made.config, made.memory, true), made.cross, say);
    say.rename("kv_input_dim", "cross_dim");
    say.rename("max_keys", "max_cross_keys");
    say.rename("key_type", "cross_type");
    say.rename("value_type", "cross_type");
  }
  if (status != Status::ok) return status;
  made.memory.ring = made.attention.config.ring;
  made.config.heads = made.attention.config.heads;
  made.config.kv_heads = made.attention.config.kv_heads;
  made.config.head_dim = made.attention.config.head_dim;
  Layout state;
  lay_out_state(made, state);
  Layout weights;
  lay_out_weights(made, weights);
  return state.fits() && weights.fits() && lay_out_scratch(made) ? Status::ok : sizes_too_large(say);
}

}  // namespace heed::detail
