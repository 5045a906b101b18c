// SPDX-License-Identifier: MIT
//
// What a model's calls refuse, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "heed/model.hpp"
#include "model/block_check.hpp"
#include "model/file_header.hpp"

namespace heed::detail {

/// Numbers of one row of output.
[[nodiscard]] inline std::uint32_t output_width(const ModelConfig& config) noexcept {
  return config.outputs != 0 ? config.outputs : config.block.model_dim;
}

/// The memory of the self-attention's cache in a block.
template <class Cache>
[[nodiscard]] std::span<std::byte> cache_of(const ModelPlan<Cache>& plan, std::span<std::byte> state,
                                            std::uint32_t block) noexcept {
  const std::size_t first = plan.block_state.offset + std::size_t{block} * plan.block.state_bytes;
  return part(state.subspan(first), plan.block.attention_state);
}

template <class Cache>
[[nodiscard]] std::span<std::byte> cross_cache_of(const ModelPlan<Cache>& plan, std::span<std::byte> state,
                                                  std::uint32_t block) noexcept {
  const std::size_t first = plan.block_state.offset + std::size_t{block} * plan.block.state_bytes;
  return part(state.subspan(first), plan.block.cross_state);
}

/// Binds every cache of a state, to see whether that works, or empties them. bad_state, too: the blocks have not seen
/// the same tokens, or the same context. Calls look at the first block's and rely on the others.
template <bool Empty, class Cache>
[[nodiscard]] Status each_cache(const ModelPlan<Cache>& plan, std::span<std::byte> state) noexcept {
  Cache cache;
  std::uint32_t tokens = 0;
  std::uint32_t context = 0;
  const auto visit = [&cache](const auto& cache_plan, std::span<std::byte> memory, bool first,
                              std::uint32_t& common) noexcept {
    if (Empty) return cache.init(cache_plan, memory);
    const Status status = cache.bind(cache_plan, memory);
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
template <class Cache>
[[nodiscard]] bool blocks_match(const ModelPlan<Cache>& plan, const std::byte* file) noexcept {
  const std::byte* weights = file + plan.file.block_weights.offset;
  for (std::uint32_t block = 0; block < plan.config.blocks; ++block, weights += plan.block.weights_bytes) {
    if (!headers_match(plan.block, weights)) return false;
  }
  return true;
}

/// What reads weights of a type; null for float32, and where the program has named none.
[[nodiscard]] inline const WeightFormat* format_of(const PackedModel& file, WeightType type) noexcept {
  for (const WeightFormat* const format : file.formats) {
    if (format != nullptr && type != WeightType::float32 && reads(format, type)) return format;
  }
  return nullptr;
}

[[nodiscard]] inline bool formats_are_there(const ModelConfig& config, const PackedModel& file) noexcept {
  for (const WeightType type : {config.block.weight_type, config.input_type, config.head_type}) {
    if (!reads(format_of(file, type), type)) return false;
  }
  return true;
}

template <class Cache>
[[nodiscard]] Status check_model(const ModelPlan<Cache>& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                 const PackedModel& file) noexcept {
  if (plan.file.bytes == 0) return Status::not_initialised;
  const Status status = check_memories(
      {used(state, plan.state_bytes), used(scratch, plan.scratch_bytes), used(file.bytes, plan.file.bytes)});
  if (status != Status::ok) return status;
  if (!header_matches(plan.config, plan.file.bytes, file.bytes.data())) return Status::wrong_weights;
  if (!blocks_match(plan, file.bytes.data())) return Status::wrong_weights;
  return formats_are_there(plan.config, file) ? Status::ok : Status::missing_format;
}

template <class Cache>
[[nodiscard]] Status check_kind(const ModelPlan<Cache>& plan, bool causal, ModelInput input, std::size_t count,
                                const float* logits) noexcept {
  if (plan.config.causal != causal || plan.config.input != input) return Status::plan_mismatch;
  if (count == 0) return Status::zero_dimension;
  return logits == nullptr ? Status::null_pointer : Status::ok;
}

template <class Cache>
[[nodiscard]] Status check_tokens(const ModelPlan<Cache>& plan, bool causal, std::span<const std::uint32_t> tokens,
                                  const float* logits) noexcept {
  const Status status = check_kind(plan, causal, ModelInput::tokens, tokens.size(), logits);
  if (status != Status::ok) return status;
  if (tokens.data() == nullptr) return Status::null_pointer;
  for (const std::uint32_t token : tokens) {
    if (token >= plan.config.input_dim) return Status::bad_token;
  }
  return Status::ok;
}

/// Whether a decoder takes `count` tokens after `tokens` others.
template <class Cache>
[[nodiscard]] Status check_room(const ModelPlan<Cache>& plan, std::uint32_t tokens, std::size_t count) noexcept {
  const auto ends_by = [=](std::uint32_t limit) noexcept { return tokens <= limit && count <= limit - tokens; };
  if (!ends_by(plan.block.memory.ring ? max_tokens : plan.block.memory.max_keys)) return Status::cache_full;
  const bool learned = plan.config.positions == Positions::learned;
  return learned && !ends_by(plan.config.max_positions) ? Status::bad_position : Status::ok;
}

/// Whether there is what cross-attention looks at.
template <class Cache>
[[nodiscard]] Status check_context(const TransformerBlock<Cache>& block) noexcept {
  return block.plan().config.cross_dim != 0 && !block.has_context() ? Status::not_initialised : Status::ok;
}

/// Whether an encoder takes `rows` rows.
template <class Cache>
[[nodiscard]] Status check_encoder_rows(const ModelPlan<Cache>& plan, std::size_t rows) noexcept {
  if (rows > plan.block.memory.rows) return Status::too_large;
  if (rows > plan.block.memory.max_keys) return Status::cache_full;
  const bool learned = plan.config.positions == Positions::learned;
  return learned && rows > plan.config.max_positions ? Status::bad_position : Status::ok;
}

/// Whether the head reads one row of what leaves an encoder's block, and it can be had alone.
[[nodiscard]] inline bool one_row_leaves(const ModelConfig& config, std::uint32_t block) noexcept {
  const bool one = config.pooling == Pooling::first || config.pooling == Pooling::last;
  return one && block + 1 == config.blocks && config.positions != Positions::rotary;
}

}  // namespace heed::detail
