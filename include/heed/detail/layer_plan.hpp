// SPDX-License-Identifier: MIT
//
// How the plan of a multi-head layer follows from its configuration.
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/cache.hpp"
#include "heed/heed_layer.h"
#include "heed/linear.hpp"
#include "heed/types.hpp"

namespace heed::detail {

template <class Say>
[[nodiscard]] constexpr Status complete(MultiHeadConfig& config, Say say) noexcept {
  if (config.model_dim == 0) return say(Status::zero_dimension, "model_dim", 0, 1, max_dimension);
  if (config.heads == 0) config.heads = 1;
  if (config.max_sequences == 0) config.max_sequences = 1;
  if (config.workers == 0) config.workers = 1;
  if (config.kv_heads == 0) config.kv_heads = config.heads;
  if (config.head_dim == 0) {
    if (config.model_dim % config.heads != 0) {
      return say(Status::heads_not_divisible, "heads", config.heads, 1, config.model_dim,
                 "must divide model_dim where head_dim is not given");
    }
    config.head_dim = config.model_dim / config.heads;
  }
  if (config.value_dim == 0) config.value_dim = config.head_dim;
  if (config.kv_input_dim == 0) config.kv_input_dim = config.model_dim;
  if (config.output_dim == 0) config.output_dim = config.model_dim;
  Status status = check_types("weight_type", config.weight_type, "row_type", config.row_type, say);
  if (status == Status::ok) {
    status = check_types("weight_type", config.weight_type, "output_row_type", config.output_row_type, say);
  }
  if (status != Status::ok) return status;
  const auto too_large = [&](const char* member, std::uint32_t value) {
    return say(Status::too_large, member, value, 1, max_dimension);
  };
  if (config.model_dim > max_dimension) return too_large("model_dim", config.model_dim);
  if (config.kv_input_dim > max_dimension) return too_large("kv_input_dim", config.kv_input_dim);
  if (config.output_dim > max_dimension) return too_large("output_dim", config.output_dim);
  return check_heads(config.heads, config.kv_heads, config.head_dim, config.value_dim, say);
}

/// The arena: state, then scratch for as many tokens at a time as the budget allows. The weights are laid out before.
constexpr void lay_out_arena(MultiHeadPlan& plan, Layout& layout) noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint64_t query_width = round_up(std::uint64_t{config.heads} * config.head_dim, panel_width);
  const std::uint64_t key_width = round_up(std::uint64_t{config.kv_heads} * config.head_dim, panel_width);
  const std::uint64_t value_width = round_up(std::uint64_t{config.kv_heads} * config.value_dim, panel_width);
  const std::uint64_t context_width = round_up(std::uint64_t{config.heads} * config.value_dim, panel_width);
  const std::uint64_t projected = query_width > key_width + value_width ? query_width : key_width + value_width;
  plan.state = layout.add(RegionName::key_value_cache, plan.cache.bytes, 1, 1);
  plan.attention_scratch = layout.add(RegionName::attention_scratch, plan.attention.bytes, 1, 1);
  plan.projected = layout.add(RegionName::projected_rows, plan.token_rows, projected, sizeof(float));
  plan.attention_output = layout.add(RegionName::attention_output, plan.token_rows, context_width, sizeof(float));
  plan.staging =
      lay_out_staging(layout, {&plan.query, &plan.key, &plan.value, &plan.output}, config.workers, plan.token_rows);
  plan.bytes = layout.bytes();
  plan.state_bytes = plan.state.bytes;
  plan.scratch_bytes = plan.bytes - plan.state.bytes;
}

constexpr void lay_out_weights(MultiHeadPlan& plan, Layout& layout) noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint64_t heads = config.heads;
  const std::uint64_t kv_heads = config.kv_heads;
  plan.weights_header = layout.add(RegionName::weights_header, arena_alignment, 1, 1);
  const auto add = [&](std::uint64_t inputs, std::uint64_t outputs, DataType row_type, const LinearNames& names) {
    return lay_out_linear(layout, inputs, outputs, config.weight_type, row_type, true, names);
  };
  using enum RegionName;
  plan.query =
      add(config.model_dim, heads * config.head_dim, config.row_type, {query_weight, query_weight_scales, query_bias});
  plan.key =
      add(config.kv_input_dim, kv_heads * config.head_dim, config.row_type, {key_weight, key_weight_scales, key_bias});
  plan.value = add(config.kv_input_dim, kv_heads * config.value_dim, config.row_type,
                   {value_weight, value_weight_scales, value_bias});
  plan.output = add(heads * config.value_dim, config.output_dim, config.output_row_type,
                    {output_weight, output_weight_scales, output_bias});
  plan.products = joined_products(products_of(config.weight_type, config.row_type),
                                  products_of(config.weight_type, config.output_row_type));
  plan.weights_bytes = layout.bytes();
}

/// The rest of a plan whose configuration is complete and whose cache is planned; `max_keys` is the most that a query
/// attends over.
template <class Say>
[[nodiscard]] constexpr Status plan_around_cache(MultiHeadPlan& plan, std::uint32_t max_keys, Say say) noexcept {
  const MultiHeadConfig& config = plan.config;
  const Status status = make_plan(
      AttentionConfig{config.heads, config.kv_heads, config.head_dim, config.value_dim, max_keys, config.workers,
                      config.scratch_budget, config.key_type == DataType::int8_integer ? 1U : 0U},
      plan.attention, say);
  if (status != Status::ok) return status;
  Layout weights;
  lay_out_weights(plan, weights);
  if (!weights.fits()) return sizes_too_large(say);
  const std::uint32_t budget = config.scratch_budget == 0 ? 256 * 1024 : config.scratch_budget;
  bool fits = false;
  for (plan.token_rows = 64;; plan.token_rows /= 2) {
    Layout layout;
    lay_out_arena(plan, layout);
    fits = layout.fits();
    const std::uint64_t rows = plan.projected.bytes + std::uint64_t{plan.attention_output.bytes};
    const std::uint64_t budgets = std::uint64_t{budget} * workers_with_rows(config.workers, plan.token_rows);
    if (plan.token_rows == 1 || (fits && rows <= budgets)) break;
  }
  return fits ? Status::ok : sizes_too_large(say);
}

}  // namespace heed::detail
