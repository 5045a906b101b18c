// SPDX-License-Identifier: MIT
//
// What the calls of transformer blocks and models refuse, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cache/cache_parts.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/block.hpp"
#include "heed/model.hpp"
#include "layer/packed_weights.hpp"
#include "transformer/model_extension.hpp"
#include "transformer/model_file.hpp"

namespace heed::detail {

template <class Byte>
[[nodiscard]] std::span<Byte> part(std::span<Byte> memory, const Region& region) noexcept {
  return memory.subspan(region.offset, region.bytes);
}

[[nodiscard]] inline PackedWeights part(const PackedWeights& weights, const Region& region) noexcept {
  return {part(weights.span(), region), weights.format};
}

/// Whether the headers of packed weights were written for a plan.
[[nodiscard]] inline bool headers_match(const BlockPlan& plan, const std::byte* packed) noexcept {
  return header_matches(weights_header(plan.attention), packed + plan.attention_weights.offset) &&
         (plan.config.cross_dim == 0 || header_matches(weights_header(plan.cross), packed + plan.cross_weights.offset));
}

/// Whether a program has named all that the caches need.
[[nodiscard]] inline bool caches_are_named(const BlockPlan& plan, const KvStorage& storage) noexcept {
  return is_named(plan.attention.cache.config, storage) &&
         (plan.config.cross_dim == 0 || is_named(plan.cross.cache.config, storage));
}

[[nodiscard]] inline Status check_block(const BlockPlan& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                        const PackedWeights& weights, const KvStorage& storage) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  const Status status = check_memories(
      {used(state, plan.state_bytes), used(scratch, plan.scratch_bytes), used(weights.span(), plan.weights_bytes)});
  if (status != Status::ok) return status;
  if (!headers_match(plan, weights.span().data())) return Status::wrong_weights;
  const bool complete =
      !is_extended(plan.config) && multiplies(weights.format, plan.products) && caches_are_named(plan, storage);
  return complete ? check_floats() : Status::missing_format;
}

[[nodiscard]] inline Status check_rows(const BlockPlan& plan, const float* rows, std::uint32_t count) noexcept {
  assert_plan_unchanged(plan);
  if (count == 0) return Status::zero_dimension;
  if (count > plan.memory.rows) return Status::too_large;
  return check_input(dense(rows, count, plan.config.model_dim), 1, count, plan.config.model_dim);
}

/// Numbers of one row of output.
[[nodiscard]] inline std::uint32_t output_width(const ModelConfig& config) noexcept {
  return config.outputs != 0 ? config.outputs : config.block.model_dim;
}

/// The memory of the self-attention's cache in a block.
[[nodiscard]] inline std::span<std::byte> cache_of(const ModelPlan& plan, std::span<std::byte> state,
                                                   std::uint32_t block) noexcept {
  const std::size_t first = plan.block_state.offset + std::size_t{block} * plan.block.state_bytes;
  return part(state.subspan(first), plan.block.attention_state);
}

[[nodiscard]] inline std::span<std::byte> cross_cache_of(const ModelPlan& plan, std::span<std::byte> state,
                                                         std::uint32_t block) noexcept {
  const std::size_t first = plan.block_state.offset + std::size_t{block} * plan.block.state_bytes;
  return part(state.subspan(first), plan.block.cross_state);
}

/// Binds every cache of a state, to see whether that works, or empties them. bad_state, too: the blocks have not seen
/// the same tokens, or the same context. Calls look at the first block's and rely on the others.
template <bool Empty>
[[nodiscard]] Status each_cache(const ModelPlan& plan, std::span<std::byte> state, const KvStorage& storage) noexcept {
  KvCache cache;
  std::uint32_t tokens = 0;
  std::uint32_t context = 0;
  const auto visit = [&](const auto& cache_plan, std::span<std::byte> memory, bool first,
                         std::uint32_t& common) noexcept {
    if (Empty) return cache.init(cache_plan, memory, storage);
    const Status status = cache.bind(cache_plan, memory, storage);
    if (status != Status::ok) return status;
    if (first) common = cache.tokens(0);
    return cache.tokens(0) == common ? Status::ok : Status::bad_state;
  };
  Status status = Status::ok;
  for (std::uint32_t block = 0; block < block_states(plan.config) && status == Status::ok; ++block) {
    status = visit(plan.block.attention.cache, cache_of(plan, state, block), block == 0, tokens);
    if (status == Status::ok && plan.config.block.cross_dim != 0) {
      status = visit(plan.block.cross.cache, cross_cache_of(plan, state, block), block == 0, context);
    }
  }
  return status;
}

/// Whether every block's headers were written for the plan.
[[nodiscard]] inline bool blocks_match(const ModelPlan& plan, const std::byte* file) noexcept {
  const std::byte* weights = file + plan.file.block_weights.offset;
  for (std::uint32_t block = 0; block < plan.config.blocks; ++block, weights += plan.block.weights_bytes) {
    if (!headers_match(plan.block, weights)) return false;
  }
  return true;
}

/// The format that has these products; null for float32, and where the program has named none. Out of line: it is
/// called six times.
[[nodiscard, gnu::noinline]] inline const Format* format_of(const PackedModel& file, std::uint32_t products) noexcept {
  for (const Format* const format : std::span(file.formats, file.format_count)) {
    if (format != nullptr && multiplies(format, products)) return format;
  }
  return nullptr;
}

[[nodiscard]] constexpr std::uint32_t input_products(const ModelConfig& config) noexcept {
  return products_of(config.input_type, table_row_type(config));
}
[[nodiscard]] constexpr std::uint32_t head_products(const ModelConfig& config) noexcept {
  return products_of(config.head_type, head_row_type(config));
}

[[nodiscard]] inline bool formats_are_there(const ModelPlan& plan, const PackedModel& file) noexcept {
  const auto is_there = [&file](std::uint32_t products) noexcept {
    return multiplies(format_of(file, products), products);
  };
  return is_there(plan.block.products) && is_there(input_products(plan.config)) && is_there(head_products(plan.config));
}

/// Out of line, so that what it takes is on no call's stack for long.
[[nodiscard, gnu::noinline]] inline Status check_model(const ModelPlan& plan, std::span<std::byte> state,
                                                       std::span<std::byte> scratch, const PackedModel& file,
                                                       const KvStorage& storage) noexcept {
  if (plan.file.bytes == 0) return Status::not_initialised;
  const Status status = check_memories(
      {used(state, plan.state_bytes), used(scratch, plan.scratch_bytes), used(file.span(), plan.file.bytes)});
  if (status != Status::ok) return status;
  if (!header_matches(plan, file.span().data())) return Status::wrong_weights;
  if (!blocks_match(plan, file.span().data())) return Status::wrong_weights;
  const bool extension = !is_extended(plan.config) ||
                         (file.extension != nullptr && file.extension->blocks.caches_are_named(plan, storage));
  const bool complete = extension && formats_are_there(plan, file) && caches_are_named(plan.block, storage);
  return complete ? check_floats() : Status::missing_format;
}

[[nodiscard]] inline Status check_kind(const ModelPlan& plan, bool causal, bool tokens, std::size_t count,
                                       const float* logits) noexcept {
  assert_plan_unchanged(plan);
  if (plan.config.encoder == causal || (plan.config.input == ModelInput::tokens) != tokens)
    return Status::plan_mismatch;
  if (count == 0) return Status::zero_dimension;
  return logits == nullptr ? Status::null_pointer : Status::ok;
}

[[nodiscard]] inline Status check_tokens(const ModelPlan& plan, bool causal, std::span<const std::uint32_t> tokens,
                                         const float* logits) noexcept {
  const Status status = check_kind(plan, causal, true, tokens.size(), logits);
  if (status != Status::ok) return status;
  if (tokens.data() == nullptr) return Status::null_pointer;
  for (const std::uint32_t token : tokens) {
    if (token >= plan.config.input_dim || token + 1 == plan.config.excluded_token) return Status::bad_token;
  }
  return Status::ok;
}

/// Whether a decoder takes `count` tokens after `tokens` others.
[[nodiscard]] inline Status check_room(const ModelPlan& plan, std::uint32_t tokens, std::size_t count) noexcept {
  const auto ends_by = [=](std::uint32_t limit) noexcept { return tokens <= limit && count <= limit - tokens; };
  if (!ends_by(plan.block.memory.ring != 0 ? max_tokens : plan.block.memory.max_keys)) return Status::cache_full;
  const bool learned = plan.config.positions == Positions::learned;
  return learned && !ends_by(plan.config.max_positions) ? Status::bad_position : Status::ok;
}

/// Whether an encoder takes `rows` rows.
[[nodiscard]] inline Status check_encoder_rows(const ModelPlan& plan, std::size_t rows) noexcept {
  if (rows > plan.block.memory.rows) return Status::too_large;
  if (rows > plan.block.memory.max_keys) return Status::cache_full;
  const bool learned = plan.config.positions == Positions::learned;
  return learned && rows > plan.config.max_positions ? Status::bad_position : Status::ok;
}

[[nodiscard]] inline Status check_frames(const ModelPlan& plan, const ConstMatrix& frames, std::uint32_t count,
                                         const float* logits) noexcept {
  Status status = check_kind(plan, false, false, count, logits);
  if (status == Status::ok) status = check_encoder_rows(plan, encoder_rows(plan.config, count));
  return status == Status::ok ? check_input(frames, 1, count, plan.config.input_dim) : status;
}

/// Whether the head reads one row of what leaves an encoder's block, and it can be had alone.
[[nodiscard]] inline bool one_row_leaves(const ModelConfig& config, std::uint32_t block) noexcept {
  const bool one = config.pooling == Pooling::first || config.pooling == Pooling::last;
  return one && block + 1 == config.blocks && config.positions != Positions::rotary;
}

}  // namespace heed::detail
