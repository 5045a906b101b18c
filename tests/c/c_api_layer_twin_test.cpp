// SPDX-License-Identifier: MIT
//
// The layers of the C interface against those of C++, to the bit: over either cache, with options and without, in one
// arena and in two memories, in a ring and with a block table.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "c/layer_twins.hpp"

namespace heed::test {
namespace {

TEST(CLayerTwin, PlainLayerInTwoMemories) {
  const TwinInputs inputs;
  heed_multi_head_config config{};
  config.model_dim = model_dim;
  config.heads = 2;
  config.max_keys = 30;
  config.max_sequences = 2;
  config.workers = 1;
  heed_multi_head_plan plan{};
  ASSERT_EQ(heed_plan_multi_head(&config, &plan), HEED_OK);
  EXPECT_EQ(plan.state_bytes + plan.scratch_bytes, plan.bytes);
  const AlignedMemory state(plan.state_bytes), scratch(plan.scratch_bytes), packed(plan.weights_bytes);
  const heed_multi_head_weights weights = inputs.c_weights();
  ASSERT_EQ(heed_pack_weights(&plan, &weights, packed.span().data(), plan.weights_bytes), HEED_OK);
  heed_multi_head_attention c{};
  const auto init = [&](std::size_t state_bytes, std::size_t scratch_bytes) {
    return heed_multi_head_init_split(&c, &plan, state.span().data(), state_bytes, scratch.span().data(), scratch_bytes,
                                      packed.span().data(), plan.weights_bytes);
  };
  EXPECT_EQ(init(plan.state_bytes - 1, plan.scratch_bytes), HEED_ARENA_TOO_SMALL);
  EXPECT_EQ(init(plan.state_bytes, plan.scratch_bytes - 1), HEED_ARENA_TOO_SMALL);
  ASSERT_EQ(init(plan.state_bytes, plan.scratch_bytes), HEED_OK);
  Layer cpp(std::bit_cast<MultiHeadConfig>(config), inputs.weights.view());

  Written got, expected;
  const MultiHeadInputs in = inputs.cpp(2, tokens);
  const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
  const heed_multi_head_options with = c_options(inputs);
  heed_multi_head_outputs to = got.c();
  EXPECT_EQ(heed_multi_head_prefill(&c, &c_in, &to, nullptr), HEED_OK);
  EXPECT_EQ(cpp.layer.prefill(in, expected.cpp()), Status::ok);
  EXPECT_EQ(heed_multi_head_decode_on(&c, inputs.x.data(), got.next().data, 1, nullptr), HEED_OK);
  EXPECT_EQ(cpp.layer.decode(inputs.x.data(), expected.next().data, 1), Status::ok);
  EXPECT_EQ(heed_multi_head_decode_with_options(&c, inputs.x.data(), got.next().data, 0, &with, nullptr), HEED_OK);
  EXPECT_EQ(cpp.layer.decode(inputs.x.data(), expected.next().data, 0, cpp_options(inputs)), Status::ok);
  ASSERT_EQ(heed_multi_head_bind_split(&c, &plan, state.span().data(), plan.state_bytes, scratch.span().data(),
                                       plan.scratch_bytes, packed.span().data(), plan.weights_bytes),
            HEED_OK);
  EXPECT_EQ(heed_multi_head_tokens(&c, 1), 6U);
  EXPECT_EQ(heed_float_kv_cache_tokens(&c.cache, 0), 6U);
  EXPECT_EQ(heed_float_kv_cache_position(&c.cache, 0, 5), 5U);
  EXPECT_EQ(heed_float_kv_cache_position(&c.cache, 0, 6), 0U);
  to = got.c();
  EXPECT_EQ(heed_multi_head_attend(&c, &c_in, &to, nullptr), HEED_OK);
  EXPECT_EQ(cpp.layer.attend(in, expected.cpp()), Status::ok);
  expect_same(got, expected);
}

KvMultiHeadConfig small() {
  return {.model_dim = model_dim, .heads = 2, .max_keys = 16, .max_sequences = 2};
}

TEST(CLayerTwin, RingOfBytes) {
  for (const bool with_options : {false, true}) {
    KvMultiHeadConfig config = small();
    config.max_keys = 7;
    config.key_type = DataType::int8;
    config.value_type = DataType::int4;
    config.ring = true;
    config.sink_tokens = 1;
    Twins twins(config);
    for (int round = 0; round < 3; ++round) twins.call_all(twins.inputs.cpp(2, tokens), with_options);
    const heed_multi_head_options with = c_options(twins.inputs);
    const MultiHeadOptions same_options = cpp_options(twins.inputs);
    float* const x = twins.inputs.x.data();
    for (int round = 0; round < 9; ++round) {
      EXPECT_EQ(heed_kv_multi_head_decode_with_options(&twins.c, x, twins.got.next().data, 1, &with, nullptr), HEED_OK);
      EXPECT_EQ(twins.cpp.layer.decode(x, twins.expected.next().data, 1, same_options), Status::ok);
      EXPECT_EQ(heed_kv_multi_head_decode(&twins.c, x, twins.got.next().data, 0, nullptr), HEED_OK);
      EXPECT_EQ(twins.cpp.layer.decode(x, twins.expected.next().data, 0), Status::ok);
    }
    expect_same(twins.got, twins.expected);
    EXPECT_EQ(heed_kv_multi_head_tokens(&twins.c, 1), twins.cpp.layer.cache().tokens(1));
    EXPECT_EQ(heed_kv_multi_head_length(&twins.c, 1), 7U);
    EXPECT_EQ(heed_kv_multi_head_truncate(&twins.c, 1, 3), HEED_BAD_LENGTH);
    EXPECT_EQ(heed_kv_multi_head_reset(&twins.c, 1), HEED_OK);
    EXPECT_EQ(heed_kv_multi_head_tokens(&twins.c, 1), 0U);
  }
}

TEST(CLayerTwin, BlockTable) {
  KvMultiHeadConfig config = small();
  config.max_sequences = 5;
  config.max_blocks = 2;
  Twins twins(config);
  const std::uint32_t table[] = {4, 1, 0, 3};
  std::uint32_t past[] = {0, 0};
  MultiHeadInputs in = twins.inputs.cpp(2, tokens);
  in.block_table = table;
  in.past_lengths = past;
  const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
  const heed_multi_head_options with = c_options(twins.inputs);
  const MultiHeadOptions same_options = cpp_options(twins.inputs);
  heed_multi_head_outputs to = twins.got.c();
  EXPECT_EQ(heed_kv_multi_head_prefill(&twins.c, &c_in, &to, nullptr), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.prefill(in, twins.expected.cpp()), Status::ok);
  EXPECT_EQ(heed_kv_multi_head_append(&twins.c, &c_in, nullptr), HEED_BAD_LENGTH);
  past[0] = past[1] = tokens;
  EXPECT_EQ(heed_kv_multi_head_append_with_options(&twins.c, &c_in, &with, nullptr), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.append(in, same_options), Status::ok);
  past[0] = past[1] = 2 * tokens;
  to = twins.got.c();
  EXPECT_EQ(heed_kv_multi_head_prefill_with_options(&twins.c, &c_in, &with, &to, nullptr), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.prefill(in, same_options, twins.expected.cpp()), Status::ok);
  past[0] = past[1] = 3 * tokens;
  to = twins.got.c();
  EXPECT_EQ(heed_kv_multi_head_attend(&twins.c, &c_in, &to, nullptr), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.attend(in, twins.expected.cpp()), Status::ok);
  expect_same(twins.got, twins.expected);
  EXPECT_EQ(std::memcmp(twins.arena.span().data(), twins.cpp.arena.span().data(), twins.plan.state_bytes), 0);
}

TEST(CLayerTwin, ScalesPerChannelAndTwoMemories) {
  KvMultiHeadConfig config = small();
  config.key_type = DataType::int8;
  config.key_scales_per_channel = true;
  Twins twins(config);
  const AlignedMemory state(twins.plan.state_bytes), scratch(twins.plan.scratch_bytes);
  ASSERT_EQ(heed_kv_multi_head_init_split(&twins.c, &twins.plan, state.span().data(), twins.plan.state_bytes,
                                          scratch.span().data(), twins.plan.scratch_bytes, twins.packed.span().data(),
                                          twins.plan.weights_bytes),
            HEED_OK);
  float* const x = twins.inputs.x.data();
  EXPECT_EQ(heed_kv_multi_head_decode(&twins.c, x, twins.got.next().data, 0, nullptr), HEED_BAD_SCALE);
  const std::vector<float> scales(8, 0.03F);
  EXPECT_EQ(heed_kv_multi_head_set_key_scales(&twins.c, scales.data(), 8), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.cache().set_key_scales(scales), Status::ok);
  ASSERT_EQ(heed_kv_multi_head_bind_split(&twins.c, &twins.plan, state.span().data(), twins.plan.state_bytes,
                                          scratch.span().data(), twins.plan.scratch_bytes, twins.packed.span().data(),
                                          twins.plan.weights_bytes),
            HEED_OK);
  EXPECT_EQ(heed_kv_multi_head_decode(&twins.c, x, twins.got.calls.back().data(), 0, nullptr), HEED_OK);
  EXPECT_EQ(twins.cpp.layer.decode(x, twins.expected.next().data), Status::ok);
  expect_same(twins.got, twins.expected);
  const heed_multi_head_weights parts = heed_kv_split_packed(&twins.plan, x, nullptr, nullptr, nullptr);
  EXPECT_EQ(parts.key, x + 64);
}

TEST(CLayerTwin, KeysAreRotatedOnTheirWay) {
  const TwinInputs inputs;
  constexpr KvCachePlan plan = heed::plan(KvCacheConfig{1, 2, 4, 4, 6, DataType::float16, DataType::int8, false, true});
  const AlignedMemory memories[] = {AlignedMemory(plan.bytes, 0), AlignedMemory(plan.bytes, 0)};
  KvCache cpp;
  heed_kv_cache c{};
  const auto c_plan = std::bit_cast<heed_kv_cache_plan>(plan);
  ASSERT_EQ(cpp.init(plan, memories[0].span()), Status::ok);
  ASSERT_EQ(heed_kv_cache_init(&c, &c_plan, memories[1].span().data(), plan.bytes), HEED_OK);
  const ConstTensor rows = bhsd(inputs.x.data(), 2, 4, 4);
  const auto c_rows = std::bit_cast<heed_const_tensor>(rows);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(append_rotated(cpp, 0, 4, rows, rows, inputs.rotary), Status::ok);
    EXPECT_EQ(heed_kv_cache_append_rotated(&c, 0, 4, c_rows, c_rows, &inputs.c_rotary, nullptr), HEED_OK);
  }
  EXPECT_EQ(std::memcmp(memories[0].span().data(), memories[1].span().data(), plan.bytes), 0);
  EXPECT_EQ(heed_kv_cache_append_rotated(nullptr, 0, 4, c_rows, c_rows, &inputs.c_rotary, nullptr), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_cache_append_rotated(&c, 0, 4, c_rows, c_rows, nullptr, nullptr), HEED_NULL_POINTER);
}

TEST(CLayerTwin, NullPointersAreRefused) {
  const heed_multi_head_inputs in{};
  const heed_multi_head_outputs out{};
  heed_kv_multi_head_attention layer{};
  heed_kv_multi_head_plan plan{};
  EXPECT_EQ(heed_plan_kv_multi_head(nullptr, &plan), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_init(&layer, nullptr, nullptr, 0, nullptr, 0), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_init(&layer, &plan, nullptr, 0, nullptr, 0), HEED_NOT_INITIALISED);
  EXPECT_EQ(heed_kv_multi_head_append(&layer, nullptr, nullptr), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_append(&layer, &in, nullptr), HEED_NOT_INITIALISED);
  EXPECT_EQ(heed_kv_multi_head_prefill(&layer, &in, nullptr, nullptr), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_prefill(nullptr, &in, &out, nullptr), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_attend(&layer, &in, &out, nullptr), HEED_NOT_INITIALISED);
  EXPECT_EQ(heed_kv_multi_head_decode(nullptr, nullptr, nullptr, 0, nullptr), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_reset(nullptr, 0), HEED_NULL_POINTER);
  EXPECT_EQ(heed_kv_multi_head_length(nullptr, 0), 0U);
  EXPECT_EQ(heed_multi_head_tokens(nullptr, 0), 0U);
}

}  // namespace
}  // namespace heed::test
