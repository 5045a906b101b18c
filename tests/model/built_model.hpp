// SPDX-License-Identifier: MIT
//
// A model in memory of its own: its file, its state and its scratch.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

#include "heed/model.hpp"
#include "heed/model_weights.hpp"

namespace heed::test {

/// Bytes on a 64-byte boundary, of which none is 0: nothing may rely on that.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::size_t bytes) : lines_((bytes + sizeof(Line) - 1) / sizeof(Line)), bytes_(bytes) {
    for (Line& line : lines_) std::fill(std::begin(line.bytes), std::end(line.bytes), std::byte{0xA5});
  }
  [[nodiscard]] std::span<std::byte> span() { return {reinterpret_cast<std::byte*>(lines_.data()), bytes_}; }

 private:
  struct alignas(arena_alignment) Line {
    std::byte bytes[arena_alignment];
  };
  std::vector<Line> lines_;
  std::size_t bytes_;
};

/// Every format of weights that is not float32.
inline constexpr const WeightFormat* all_formats[] = {&float16_weights, &bfloat16_weights, &int8_weights,
                                                      &int8_group_weights, &int4_group_weights};

[[nodiscard]] inline AlignedBytes packed_model(const ModelConfig& config, const ModelWeights& weights,
                                               const std::vector<BlockWeights>& blocks) {
  ModelPlan<FloatKvCache> plan;
  EXPECT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  AlignedBytes file(plan.file.bytes);
  EXPECT_EQ(pack_model(plan, weights, blocks, file.span()), Status::ok);
  return file;
}

template <class Cache>
struct BuiltModel {
  ModelPlan<Cache> plan;
  AlignedBytes state{0};
  AlignedBytes scratch{0};
  TransformerModel<Cache> model;

  BuiltModel(std::span<const std::byte> file, const BlockMemory& memory) {
    const ModelFile read = read_model(file);
    EXPECT_EQ(read.status, Status::ok) << read.field;
    EXPECT_EQ(make_plan(read.config, memory, plan), Status::ok);
    state = AlignedBytes(plan.state_bytes);
    scratch = AlignedBytes(plan.scratch_bytes);
    EXPECT_EQ(model.init(plan, state.span(), scratch.span(), {file, all_formats}), Status::ok);
  }
};

}  // namespace heed::test
