// SPDX-License-Identifier: MIT
//
// What a block's calls refuse, before anything is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/validation.hpp"
#include "heed/block.hpp"
#include "layer/packed_weights.hpp"

namespace heed::detail {

template <class Byte>
[[nodiscard]] std::span<Byte> part(std::span<Byte> memory, const Region& region) noexcept {
  return memory.subspan(region.offset, region.bytes);
}

/// Whether the headers of packed weights were written for a plan.
template <class Cache>
[[nodiscard]] Status check_block_weights(const BlockPlan<Cache>& plan, const std::byte* packed) noexcept {
  if (!weights_match(weights_layout(plan.attention), packed + plan.attention_weights.offset)) {
    return Status::wrong_weights;
  }
  const bool cross =
      plan.config.cross_dim == 0 || weights_match(weights_layout(plan.cross), packed + plan.cross_weights.offset);
  return cross ? Status::ok : Status::wrong_weights;
}

template <class Cache>
[[nodiscard]] Status check_block(const BlockPlan<Cache>& plan, std::span<std::byte> state, std::span<std::byte> scratch,
                                 std::span<const std::byte> weights) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  Status status = check_memory(state, plan.state_bytes);
  if (status == Status::ok) status = check_memory(scratch, plan.scratch_bytes);
  if (status == Status::ok) status = check_memory(weights, plan.weights_bytes);
  if (status != Status::ok) return status;
  return check_block_weights(plan, weights.data());
}

template <class Cache>
[[nodiscard]] Status check_rows(const BlockPlan<Cache>& plan, const float* rows, std::uint32_t count) noexcept {
  if (plan.weights_bytes == 0) return Status::not_initialised;
  if (count == 0) return Status::zero_dimension;
  if (count > plan.memory.rows) return Status::too_large;
  return check_input(dense(rows, count, plan.config.model_dim), 1, count, plan.config.model_dim);
}

}  // namespace heed::detail
