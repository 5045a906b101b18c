// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/attention.hpp"
#include "heed/detail/layout.hpp"
#include "heed/heed_multi_head.h"
#include "heed/kv_cache.hpp"
#include "heed/linear.hpp"
#include "heed/status.hpp"

namespace heed {

namespace detail {

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
  if (!is_weight_type(config.weight_type)) {
    return say(Status::bad_option, "weight_type", config.weight_type, 0, 5);
  }
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
  if (config.weight_type != DataType::float32) {
    std::uint32_t staging = 0;
    for (const LinearPlan* linear : {&plan.query, &plan.key, &plan.value, &plan.output}) {
      if (linear->staging_bytes > staging) staging = linear->staging_bytes;
    }
    plan.staged_weights = layout.add(RegionName::staged_weights, config.workers, staging, 1);
  }
  plan.bytes = layout.bytes();
  plan.state_bytes = plan.state.bytes;
  plan.scratch_bytes = plan.bytes - plan.state.bytes;
}

constexpr void lay_out_weights(MultiHeadPlan& plan, Layout& layout) noexcept {
  const MultiHeadConfig& config = plan.config;
  const std::uint64_t heads = config.heads;
  const std::uint64_t kv_heads = config.kv_heads;
  plan.weights_header = layout.add(RegionName::weights_header, arena_alignment, 1, 1);
  const auto add = [&](std::uint64_t inputs, std::uint64_t outputs, const LinearNames& names) {
    return lay_out_linear(layout, inputs, outputs, config.weight_type, true, names);
  };
  using enum RegionName;
  plan.query = add(config.model_dim, heads * config.head_dim, {query_weight, query_weight_scales, query_bias});
  plan.key = add(config.kv_input_dim, kv_heads * config.head_dim, {key_weight, key_weight_scales, key_bias});
  plan.value = add(config.kv_input_dim, kv_heads * config.value_dim, {value_weight, value_weight_scales, value_bias});
  plan.output = add(heads * config.value_dim, config.output_dim, {output_weight, output_weight_scales, output_bias});
  plan.weights_bytes = layout.bytes();
}

/// The rest of a plan whose configuration is complete and whose cache is planned; `max_keys` is the most that a query
/// attends over.
template <class Say>
[[nodiscard]] constexpr Status plan_around_cache(MultiHeadPlan& plan, std::uint32_t max_keys, Say say) noexcept {
  const MultiHeadConfig& config = plan.config;
  const Status status = make_plan(AttentionConfig{config.heads, config.kv_heads, config.head_dim, config.value_dim,
                                                  max_keys, config.workers, config.scratch_budget},
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
    if (plan.token_rows == 1 || (fits && plan.projected.bytes + std::uint64_t{plan.attention_output.bytes} <= budget))
      break;
  }
  return fits ? Status::ok : sizes_too_large(say);
}

}  // namespace detail

/// Writes the plan of a configuration, or a status that says why there is none and leaves `plan` as it was:
/// zero_dimension; heads_not_divisible: heads is no multiple of kv_heads, or, with a head_dim of 0, model_dim none of
/// heads; too_large; bad_workers; bad_option: no such type of weights; what a KvCachePlan refuses; a page table in a
/// ring, or with max_keys no multiple of 16; or values that are not float32 and longer than sixteen keys.
template <class Say = detail::Unexplained>
[[nodiscard]] constexpr Status make_plan(MultiHeadConfig config, MultiHeadPlan& plan, Say say = {}) noexcept {
  Status status = detail::complete(config, say);
  if (status != Status::ok) return status;
  MultiHeadPlan made{.config = config};
  status =
      make_plan(KvCacheConfig{config.max_sequences, config.kv_heads, config.head_dim, config.value_dim, config.max_keys,
                              config.sink_tokens, config.key_type, config.value_type, config.ring},
                made.cache, say);
  if (status != Status::ok) return status;
  made.config.ring = made.cache.config.ring;
  std::uint64_t most_keys = config.max_keys;
  if (config.max_pages != 0) {
    if (config.ring != 0) return say(Status::bad_option, "max_pages", config.max_pages, 0, 0, "is not for rings");
    if (config.max_keys % panel_width != 0) {
      return say(Status::bad_option, "max_keys", config.max_keys, panel_width, max_rows,
                 "must be a multiple of 16 where there are max_pages");
    }
    most_keys *= config.max_pages;
    if (most_keys > max_rows) {
      return say(Status::too_large, "max_pages", config.max_pages, 0, max_rows / config.max_keys,
                 "pages of max_keys tokens hold at most 2^30");
    }
  }
  status = detail::plan_around_cache(made, static_cast<std::uint32_t>(most_keys), say);
  if (status != Status::ok) return status;
  if (config.value_type != DataType::float32 &&
      std::uint64_t{made.attention.staged_keys} * config.head_dim < made.cache.value_width) {
    return say(Status::bad_option, "value_type", config.value_type, 0, 0,
               "must be float32 where a value is longer than sixteen keys");
  }
  plan = made;
  return Status::ok;
}

/// The plan of a configuration known at compile time. A bad configuration does not compile.
[[nodiscard]] consteval MultiHeadPlan plan(const MultiHeadConfig& config) {
  MultiHeadPlan made;
  detail::require(make_plan(config, made));
  return made;
}

/// Views of one packed matrix [W_Q; W_K; W_V] and its bias (PyTorch: in_proj_weight, in_proj_bias). The three share
/// their input, so kv_input_dim must equal model_dim. Null stays null; nothing is refused.
[[nodiscard]] MultiHeadWeights split_packed(const MultiHeadPlan& plan, const float* input_weight,
                                            const float* input_bias, const float* output_weight,
                                            const float* output_bias) noexcept;

namespace detail {

/// pack_weights() of float32 and of the other types, apart, because only the latter need code that rounds.
[[nodiscard]] Status pack_float_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                        std::span<std::byte> packed) noexcept;
[[nodiscard]] Status pack_rounded_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                          std::span<std::byte> packed) noexcept;

}  // namespace detail

/// Writes the weights into `packed` (at least plan.weights_bytes on a 64-byte boundary) in the layout the kernels read.
/// Done once, on the device or offline; the bytes are the same on every little-endian machine, and for every plan of
/// the same dimensions and type. pack_linear() says how they are rounded. not_initialised: the plan is empty.
/// null_pointer: one of the four weights, or `packed`. arena_too_small, arena_misaligned: `packed`. Nothing is written
/// then.
[[nodiscard, gnu::always_inline]] inline Status pack_weights(const MultiHeadPlan& plan, const MultiHeadWeights& weights,
                                                             std::span<std::byte> packed) noexcept {
  // Where the plan is a constant, only one of the two is linked.
  return plan.config.weight_type == DataType::float32 ? detail::pack_float_weights(plan, weights, packed)
                                                      : detail::pack_rounded_weights(plan, weights, packed);
}

}  // namespace heed
