// SPDX-License-Identifier: MIT
//
// State, scratch and weights that an object is given, which overlap: refused where both are used.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"
#include "transformer/random_model.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t tokens = 9;
constexpr std::uint32_t model_dim = 8;

/// Lays two of three memories so that they share their first or last bytes, then side by side. start(state, scratch,
/// weights) is init() or bind() of an object that `witness` watches.
template <class Start>
void expect_memories_apart(std::size_t state_bytes, std::size_t scratch_bytes, std::span<const std::byte> weights,
                           Witness& witness, const Start& start) {
  const std::size_t sizes[] = {state_bytes, scratch_bytes, weights.size()};
  AlignedMemory buffer(sizes[0] + sizes[1] + sizes[2]);
  AlignedMemory apart(std::max({sizes[0], sizes[1], sizes[2]}));
  witness.watch("two memories", buffer.span());
  witness.watch("the third", apart.span());
  constexpr std::size_t pairs[][2] = {{0, 1}, {1, 0}, {0, 2}, {2, 0}, {1, 2}, {2, 1}};
  for (const auto& [first, second] : pairs) {
    const auto call = [&, first = first, second = second](std::size_t offset) {
      std::span<std::byte> memories[3];
      for (std::size_t i = 0; i < 3; ++i) memories[i] = apart.span().first(sizes[i]);
      memories[first] = buffer.span().first(sizes[first]);
      memories[second] = buffer.span().subspan(offset, sizes[second]);
      return start(memories[0], memories[1], memories[2]);
    };
    const auto put_weights = [&, first = first, second = second](std::size_t offset) {
      const auto to = first == 2 ? buffer.span() : second == 2 ? buffer.span().subspan(offset) : apart.span();
      std::memcpy(to.data(), weights.data(), weights.size());
    };
    for (const std::size_t offset : {std::size_t{0}, arena_alignment, sizes[first] - arena_alignment}) {
      std::fill(buffer.span().begin(), buffer.span().end(), std::byte{0});
      put_weights(offset);
      witness.expect(Status::overlap, "a shared line", [&] { return call(offset); });
    }
    std::fill(buffer.span().begin(), buffer.span().end(), std::byte{0});
    std::fill(apart.span().begin(), apart.span().end(), std::byte{0});
    put_weights(sizes[first]);
    EXPECT_EQ(call(sizes[first]), Status::ok) << first << second;
  }
}

TEST(MemoryOverlapRefusal, MemoriesOfLayers) {
  Random random(6);
  const MultiHeadConfig config{.model_dim = model_dim, .heads = 2, .max_keys = tokens};
  const LayerWeights weights(random, completed(config), true);
  Layer layer(config, weights.view());
  for (const bool init : {true, false}) {
    MultiHeadAttention object;
    Witness witness;
    witness.watch_object("layer", object);
    expect_memories_apart(layer.plan.state_bytes, layer.plan.scratch_bytes, layer.packed.span(), witness,
                          [&](auto state, auto scratch, auto packed) {
                            return init ? object.init(layer.plan, state, scratch, packed)
                                        : object.bind(layer.plan, state, scratch, packed);
                          });
  }
}

/// More than a plan's bytes may be given, and overlap where nothing is used.
TEST(MemoryOverlapRefusal, OnlyWhatIsUsedCounts) {
  Random random(6);
  const MultiHeadConfig config{.model_dim = model_dim, .heads = 2, .max_keys = tokens};
  const LayerWeights weights(random, completed(config), true);
  Layer layer(config, weights.view());
  const std::span<std::byte> arena = layer.arena.span();
  MultiHeadAttention other;
  EXPECT_EQ(other.init(layer.plan, arena, arena.subspan(layer.plan.state_bytes), layer.packed.span()), Status::ok);
}

TEST(MemoryOverlapRefusal, MemoriesOfBlocksAndModels) {
  const ModelConfig config = completed({.block = {.model_dim = 12, .heads = 2, .mlp_dim = 20, .cross_dim = 5},
                                        .blocks = 2,
                                        .input_dim = 9,
                                        .max_positions = 7});
  RandomWeights weights(4, config);
  AlignedMemory file = packed_model(config, weights.ends, weights.blocks);
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, {.rows = 3, .max_keys = 6, .max_cross_keys = 4}, plan), Status::ok);
  BlockPlan of_floats;
  ASSERT_EQ(make_plan(config.block, {.rows = 3, .max_keys = 6, .max_cross_keys = 4}, of_floats), Status::ok);
  AlignedMemory packed(of_floats.weights_bytes);
  ASSERT_EQ(pack_block(of_floats, weights.blocks[0], packed.span()), Status::ok);
  for (const bool init : {true, false}) {
    Model model;
    Witness of_model;
    of_model.watch_object("model", model);
    expect_memories_apart(
        plan.state_bytes, plan.scratch_bytes, file.span(), of_model, [&](auto state, auto scratch, auto bytes) {
          return init ? model.init(plan, state, scratch, bytes) : model.bind(plan, state, scratch, bytes);
        });
    TransformerBlock block;
    Witness of_block;
    of_block.watch_object("block", block);
    expect_memories_apart(plan.block.state_bytes, plan.block.scratch_bytes, packed.span(), of_block,
                          [&](auto state, auto scratch, auto bytes) {
                            return init ? block.init(plan.block, state, scratch, bytes)
                                        : block.bind(plan.block, state, scratch, bytes);
                          });
  }
}

}  // namespace
}  // namespace heed::test
