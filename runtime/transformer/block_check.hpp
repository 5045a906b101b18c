// SPDX-License-Identifier: MIT
//
// What a transformer block's calls refuse, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cache/cache_parts.hpp"
#include "common/as_made.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "heed/block.hpp"
#include "layer/packed_weights.hpp"

namespace heed::detail {

template <class Byte>
[[nodiscard]] std::span<Byte> part(std::span<Byte> memory, const Region& region) noexcept {
  return memory.subspan(region.offset, region.bytes);
}

[[nodiscard]] inline PackedWeights part(const PackedWeights& weights, const Region& region) noexcept {
  return {part(weights.bytes, region), weights.format};
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
      {used(state, plan.state_bytes), used(scratch, plan.scratch_bytes), used(weights.bytes, plan.weights_bytes)});
  if (status != Status::ok) return status;
  if (!headers_match(plan, weights.bytes.data())) return Status::wrong_weights;
  const bool complete = multiplies(weights.format, plan.config.weight_type) && caches_are_named(plan, storage);
  return complete ? Status::ok : Status::missing_format;
}

[[nodiscard]] inline Status check_rows(const BlockPlan& plan, const float* rows, std::uint32_t count) noexcept {
  expect_as_made(plan);
  if (count == 0) return Status::zero_dimension;
  if (count > plan.memory.rows) return Status::too_large;
  return check_input(dense(rows, count, plan.config.model_dim), 1, count, plan.config.model_dim);
}

}  // namespace heed::detail
