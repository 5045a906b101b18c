// SPDX-License-Identifier: MIT
//
// The memory that a transformer block takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/block_config.hpp"
#include "heed/detail/layout.hpp"
#include "heed/heed_model_plan.h"
#include "heed/linear.hpp"
#include "heed/multi_head_plan.hpp"
#include "heed/status.hpp"

namespace heed {

namespace detail {

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

constexpr void lay_out_mlp_scratch(const BlockConfig& config, std::uint32_t workers, MlpPlan& plan,
                                   Layout& layout) noexcept {
  const std::uint64_t width = round_up(config.mlp_dim, panel_width);
  plan.hidden = layout.add(RegionName::hidden_rows, plan.rows, width, sizeof(float));
  if (config.gated) plan.gate_rows = layout.add(RegionName::gate_rows, plan.rows, width, sizeof(float));
  const std::uint32_t up = plan.up.staging_bytes;
  const std::uint32_t down = plan.down.staging_bytes;
  if (up != 0) plan.staging = layout.add(RegionName::staged_weights, workers, up > down ? up : down, 1);
}

[[nodiscard]] constexpr bool lay_out_scratch(BlockPlan& plan) noexcept {
  const std::uint32_t budget = plan.memory.scratch_budget == 0 ? 256 * 1024 : plan.memory.scratch_budget;
  Layout before_hidden;
  plan.branch = before_hidden.add(RegionName::branch_rows, plan.memory.rows, plan.config.model_dim, sizeof(float));
  MlpPlan& mlp = plan.mlp;
  for (mlp.rows = plan.memory.rows < 64 ? plan.memory.rows : 64;; mlp.rows = (mlp.rows + 1) / 2) {
    Layout hidden = before_hidden;
    lay_out_mlp_scratch(plan.config, plan.memory.workers, mlp, hidden);
    const bool within = hidden.fits() && hidden.bytes() - before_hidden.bytes() <= budget;
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
  const auto add = [&](std::uint32_t inputs, std::uint32_t outputs, const LinearNames& names) {
    return lay_out_linear(layout, inputs, outputs, config.weight_type, true, names);
  };
  const std::uint32_t dim = config.model_dim;
  const std::uint32_t hidden = config.mlp_dim;
  using enum RegionName;
  if (config.gated) plan.mlp.gate = add(dim, hidden, {gate_weight, gate_scales, gate_bias});
  plan.mlp.up = add(dim, hidden, {up_weight, up_scales, up_bias});
  plan.mlp.down = add(hidden, dim, {down_weight, down_scales, down_bias});
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

}  // namespace detail

/// Writes the plan of a transformer block, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension, heads_not_divisible, too_large, bad_workers as for a MultiHeadConfig; bad_option: as there, an
/// enumerator has no such value, or norm_epsilon is outside its range.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(const BlockConfig& config, const BlockMemory& memory, BlockPlan& plan,
                                         Say say = {}) noexcept {
  BlockPlan made;
  const Status status = detail::fill_block_plan(config, memory, made, say);
  if (status == Status::ok) plan = made;
  return status;
}

/// The plan of a transformer block that is known at compile time. One that cannot be does not compile.
[[nodiscard]] consteval BlockPlan plan(const BlockConfig& config, const BlockMemory& memory) {
  BlockPlan made;
  detail::require(make_plan(config, memory, made));
  return made;
}

}  // namespace heed
