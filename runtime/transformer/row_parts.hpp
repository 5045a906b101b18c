// SPDX-License-Identifier: MIT
//
// A prefill of many rows takes some of them through both branches of a block before the next ones, whose queries see
// nothing later: what the rows become stays in the nearest caches, and so does what they are rounded to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/row_shares.hpp>
#include <kernels/wanted_rows.hpp>

#include "common/integer_product.hpp"
#include "common/key_range.hpp"
#include "heed/model.hpp"
#include "transformer/model_rotary.hpp"

namespace heed::detail {

/// Rows of a part: as many as attention projects at a time, or all `count` where a block takes its rows by stages,
/// which a cache that may refuse tokens or wraps, an observer and several workers need.
[[nodiscard]] inline std::uint32_t rows_of_part([[maybe_unused]] const BlockPlan& plan, std::uint32_t count,
                                                [[maybe_unused]] const StageObserver& observer,
                                                [[maybe_unused]] const Executor& executor) noexcept {
  if constexpr (least_row_share != 0) {
    const BlockMemory& memory = plan.memory;
    const bool appends = memory.ring == 0 && memory.key_type != DataType::int8_channels;
    const bool alone = observer.see == nullptr && (memory.workers == 1 || executor.parallel_for == nullptr);
    const bool in_integers = plan.mlp.up.row_bytes != 0 && plan.attention.query.row_bytes != 0;
    const bool in_order = plan.config.cross_dim == 0 && plan.config.norm_placement != NormPlacement::after;
    if (appends && alone && in_integers && in_order) {
      return count < plan.attention.token_rows ? count : plan.attention.token_rows;
    }
  }
  return count;
}

/// Where the branch of a block has room for `floats`, at most those of a table of rotary positions for all rows, while
/// it holds a part of the rows; or null.
[[nodiscard]] inline float* table_beside_part(const BlockPlan& plan, std::byte* scratch, std::uint32_t part,
                                              std::uint64_t floats) noexcept {
  const std::uint64_t row_floats = branches_of(plan.config) * plan.config.model_dim;
  const std::uint64_t begin = part * row_floats;
  const std::uint64_t end = plan.memory.rows * row_floats;
  return begin + floats <= end ? reinterpret_cast<float*>(scratch + plan.branch.offset) + begin : nullptr;
}

/// The same in the scratch of a model, for a table of all `count` rows of a decoder's pass, which takes them by parts.
[[nodiscard]] inline float* room_of_table([[maybe_unused]] const ModelPlan& plan,
                                          [[maybe_unused]] const RotaryPlan& rotary,
                                          [[maybe_unused]] std::byte* scratch, [[maybe_unused]] std::uint32_t count,
                                          [[maybe_unused]] const StageObserver& observer,
                                          [[maybe_unused]] const Executor& executor) noexcept {
  if constexpr (least_row_share != 0) {
    const std::uint32_t part = rows_of_part(plan.block, count, observer, executor);
    if (plan.config.encoder || part == count) return nullptr;
    return table_beside_part(plan.block, scratch + plan.block_scratch.offset, part, rotary_floats_of(rotary, count));
  }
  return nullptr;
}

/// The plan of an MLP that takes more of a part's `count` rows at a time than its own memory holds, which reads its
/// weights fewer times: in what the branch has beside the longest part and a table, as far as there is room.
[[nodiscard]] inline MlpPlan mlp_beside_part(const BlockPlan& plan, std::uint32_t count) noexcept {
  const std::uint64_t floats = plan.attention.token_rows * branches_of(plan.config) * plan.config.model_dim +
                               std::uint64_t{plan.memory.rows} * plan.attention.config.head_dim;
  const std::uint64_t begin = round_up(floats * sizeof(float), arena_alignment);
  const BlockMemory alone{.rows = count, .workers = 1};
  std::uint32_t rows = count <= plan.attention.token_rows ? count : 0;
  for (; rows > plan.mlp.rows; rows /= 2) {
    MlpPlan wide = plan.mlp;
    wide.rows = rows;
    Layout layout;
    lay_out_mlp_scratch(plan.config, alone, wide, layout);
    if (!layout.fits() || begin + layout.bytes() > plan.branch.bytes) continue;
    for (Region* const region : {&wide.hidden, &wide.gate_rows, &wide.staging}) {
      region->offset += plan.branch.offset + static_cast<std::uint32_t>(begin);
    }
    return wide;
  }
  return plan.mlp;
}

/// The plan of an MLP that takes as many rows at a time as ports gain by, in the scratch of the layers, where hidden
/// rows of 8 bits are rounded in the place of their floats; or the block's own.
[[nodiscard]] inline MlpPlan mlp_in_layer_scratch(const BlockPlan& plan) noexcept {
  MlpPlan wide = plan.mlp;
  if constexpr (wanted_rows != 0) {
    const BlockConfig& config = plan.config;
    const bool in_place = config.weight_type == DataType::int8 && config.down_row_type == DataType::int8 &&
                          config.mlp_dim % scale_group_size == 0 && config.mlp_dim > scale_group_size &&
                          config.mlp_dim <= block_inputs;
    if (!in_place || wide.up.row_bytes == 0 || config.gated || plan.memory.workers != 1) return wide;
    const std::uint32_t hidden_bytes = config.mlp_dim * sizeof(float);
    const std::uint32_t begin = plan.mlp.hidden.offset + arena_alignment;
    const std::uint32_t fit = (plan.scratch_bytes - begin) / (hidden_bytes + wide.up.row_bytes);
    const std::uint32_t rows = least(fit, wanted_rows);
    if (rows <= wide.rows) return wide;
    wide.rows = rows;
    wide.hidden.offset = begin;
    wide.staging.offset = begin + rows * hidden_bytes;
    wide.down.row_bytes = hidden_bytes;
  }
  return wide;
}

}  // namespace heed::detail
