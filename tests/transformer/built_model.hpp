// SPDX-License-Identifier: MIT
//
// A model in memory of its own: its file, its state and its scratch.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "heed/model.hpp"
#include "support/aligned_memory.hpp"
#include "support/storage.hpp"

namespace heed::test {

/// Every format of weights that is not float32; first those of rows of floats, in the order of their types.
inline constexpr const Format* all_formats[] = {
    &float16_weights,         &bfloat16_weights,        &int8_weights,
    &int8_group_weights,      &int4_group_weights,      &int8_integer_weights,
    &int8_multiplier_weights, &int4_multiplier_weights, &int8_mixed_weights};

[[nodiscard]] inline AlignedMemory packed_model(const ModelConfig& config, const ModelWeights& weights,
                                                const std::vector<BlockWeights>& blocks) {
  ModelPlan plan;
  EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  AlignedMemory file(plan.file.bytes);
  EXPECT_EQ(pack_model(plan, weights, blocks, file.span()), Status::ok);
  return file;
}

struct BuiltModel {
  ModelPlan plan;
  AlignedMemory state{0};
  AlignedMemory scratch{0};
  Model model;

  BuiltModel(std::span<const std::byte> file, const BlockMemory& memory) {
    const ModelFile read = read_model(file);
    EXPECT_EQ(read.status, Status::ok) << read.field;
    EXPECT_EQ(make_plan(read.config, memory, plan), Status::ok);
    state = AlignedMemory(plan.state_bytes);
    scratch = AlignedMemory(plan.scratch_bytes);
    const KvRing& ring = detail::is_extended(plan.config) ? kv_ring_with_positions : kv_ring;
    EXPECT_EQ(
        model.init(plan, state.span(), scratch.span(), {file, all_formats, &extended_model}, storage_of(memory, ring)),
        Status::ok);
  }
};

}  // namespace heed::test
