// SPDX-License-Identifier: MIT
//
// What the caches of a block or a model need and a program has not named is refused, and nothing is written.
#include <gtest/gtest.h>

#include "transformer/random_model.hpp"

namespace heed::test {
namespace {

constexpr ModelConfig decoder{.block = {.model_dim = 8, .heads = 2, .cross_dim = 5},
                              .blocks = 2,
                              .input_dim = 7,
                              .max_positions = 20,
                              .outputs = 7,
                              .positions = Positions::rotary};

/// Keys, values and cross-attention of types of their own, in a ring.
constexpr BlockMemory memory{.rows = 4,
                             .max_keys = 6,
                             .max_cross_keys = 3,
                             .key_type = DataType::int8,
                             .value_type = DataType::float16,
                             .cross_type = DataType::int4,
                             .ring = true};

/// What is needed but for one thing, which is forgotten or another.
std::vector<KvStorage> incomplete() {
  std::vector<KvStorage> made;
  for (int i = 0; i < 3; ++i) {
    made.push_back(storage_of(memory));
    made.back().formats[i] = nullptr;
    made.push_back(storage_of(memory));
    made.back().formats[i] = &bfloat16_cache;
  }
  made.push_back(storage_of(memory));
  made.back().ring = nullptr;
  return made;
}

std::vector<std::byte> copied(AlignedMemory& bytes) {
  return {bytes.span().begin(), bytes.span().end()};
}

TEST(ModelStorage, OfAModelIsNamed) {
  const ModelConfig config = completed(decoder);
  const RandomWeights weights(1, config);
  AlignedMemory file = packed_model(config, weights.ends, weights.blocks);
  BuiltModel built(file.span(), memory);
  std::fill(built.state.span().begin(), built.state.span().end(), std::byte{0xA5});
  const std::vector<std::byte> state = copied(built.state);
  const std::vector<std::byte> scratch = copied(built.scratch);
  Model model;
  for (const KvStorage& storage : incomplete()) {
    EXPECT_EQ(model.init(built.plan, built.state.span(), built.scratch.span(), file.span(), storage),
              Status::missing_format);
    EXPECT_EQ(model.bind(built.plan, built.state.span(), built.scratch.span(), file.span(), storage),
              Status::missing_format);
  }
  EXPECT_EQ(copied(built.state), state);
  EXPECT_EQ(copied(built.scratch), scratch);
  KvStorage backwards = storage_of(memory);
  std::swap(backwards.formats[0], backwards.formats[2]);
  EXPECT_EQ(model.init(built.plan, built.state.span(), built.scratch.span(), file.span(), backwards), Status::ok);
}

/// The headers are written last, whoever has put the tensors into the file.
TEST(ModelStorage, OfAFileIsFinishedAfterItsTensors) {
  const ModelConfig config = completed(decoder);
  const RandomWeights weights(1, config);
  AlignedMemory file = packed_model(config, weights.ends, weights.blocks);
  const std::vector<std::byte> whole = copied(file);
  ModelPlan plan;
  ASSERT_EQ(make_plan(config, {.rows = 1, .max_keys = 1, .max_cross_keys = 1}, plan), Status::ok);
  const auto clear = [&](std::size_t first, std::size_t count) {
    std::fill_n(file.span().begin() + static_cast<std::ptrdiff_t>(first), count, std::byte{0x5A});
  };
  clear(plan.file.header.offset, plan.file.header.bytes);
  for (std::uint32_t block = 0; block < config.blocks; ++block) {
    const std::size_t first = plan.file.block_weights.offset + std::size_t{block} * plan.block.weights_bytes;
    clear(first + plan.block.attention_weights.offset, plan.block.attention.weights_header.bytes);
    clear(first + plan.block.cross_weights.offset, plan.block.cross.weights_header.bytes);
  }
  ASSERT_NE(read_model(file.span()).status, Status::ok);
  ASSERT_EQ(finish_model(plan, file.span()), Status::ok);
  EXPECT_EQ(copied(file), whole);
}

TEST(ModelStorage, OfAModelHasNoKeysWithScalesPerChannel) {
  BlockMemory channels = memory;
  channels.key_type = DataType::int8_channels;
  ModelPlan plan;
  EXPECT_EQ(make_plan(decoder, channels, plan), Status::bad_option);
  EXPECT_EQ(plan, ModelPlan{});
  EXPECT_STREQ(explain<ModelPlan>(decoder, channels).member, "key_type");
  channels.key_type = DataType::int8;
  channels.cross_type = DataType::int8_channels;
  EXPECT_STREQ(explain<ModelPlan>(decoder, channels).member, "cross_type");
}

TEST(ModelStorage, OfABlockIsNamed) {
  const ModelConfig config = completed(decoder);
  const RandomWeights weights(1, config);
  BlockPlan plan;
  ASSERT_EQ(make_plan(config.block, memory, plan), Status::ok);
  AlignedMemory packed(plan.weights_bytes);
  AlignedMemory state(plan.state_bytes);
  AlignedMemory scratch(plan.scratch_bytes);
  ASSERT_EQ(pack_block(plan, weights.blocks[0], packed.span()), Status::ok);
  const std::vector<std::byte> before = copied(state);
  TransformerBlock block;
  for (const KvStorage& storage : incomplete()) {
    EXPECT_EQ(block.init(plan, state.span(), scratch.span(), packed.span(), storage), Status::missing_format);
  }
  EXPECT_EQ(copied(state), before);
  ASSERT_EQ(block.init(plan, state.span(), scratch.span(), packed.span(), storage_of(memory)), Status::ok);
  for (const KvStorage& storage : incomplete()) {
    EXPECT_EQ(block.bind(plan, state.span(), scratch.span(), packed.span(), storage), Status::missing_format);
  }
}

}  // namespace
}  // namespace heed::test
