// SPDX-License-Identifier: MIT
//
// The layer of the C interface against that of C++, to the bit: with options and without, over every type of weights,
// in a ring and with a page table.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "c/layer_twins.hpp"
#include "product/linear_case.hpp"

namespace heed::test {
namespace {

MultiHeadConfig small() {
  return {.model_dim = model_dim, .heads = 2, .max_keys = 30, .max_sequences = 2};
}

TEST(CLayerTwin, EveryCall) {
  for (const bool with_options : {false, true}) {
    Twins twins(small());
    const MultiHeadInputs in = twins.inputs.cpp(2, tokens);
    twins.prefill(in, with_options);
    twins.decode(1, with_options);
    twins.decode(0, with_options);
    ASSERT_EQ(twins.start(heed_multi_head_bind), Status::ok);
    EXPECT_EQ(heed_kv_cache_tokens(&twins.c.cache(), 1), 6U);
    EXPECT_EQ(heed_kv_cache_position(&twins.c.cache(), 0, 5), 5U);
    EXPECT_EQ(heed_kv_cache_position(&twins.c.cache(), 0, 6), 0U);
    twins.attend(in, with_options);
    twins.encode(in, with_options);
    twins.append(in, with_options);
    twins.expect_same_so_far();
  }
}

TEST(CLayerTwin, MemoriesAreChecked) {
  Twins twins(small());
  EXPECT_EQ(twins.plan.state_bytes + twins.plan.scratch_bytes, twins.plan.bytes);
  for (auto* const call : {heed_multi_head_init, heed_multi_head_bind}) {
    EXPECT_EQ(twins.start(call, 1), Status::arena_too_small);
    EXPECT_EQ(twins.start(call, 0, 1), Status::arena_too_small);
    EXPECT_EQ(twins.start(call, 0, 0, 1), Status::arena_too_small);
  }
  twins.prefill(twins.inputs.cpp(2, tokens), false);
  twins.expect_same_so_far();
}

TEST(CLayerTwin, RingOfBytes) {
  for (const bool with_options : {false, true}) {
    MultiHeadConfig config = small();
    config.max_keys = 7;
    config.key_type = DataType::int8;
    config.value_type = DataType::int4;
    config.ring = true;
    config.sink_tokens = 1;
    Twins twins(config, {.formats = {&int8_cache, &int4_cache}, .ring = &kv_ring_with_positions});
    EXPECT_EQ(twins.start(heed_multi_head_bind, nullptr, {.formats = {&int8_cache, &int4_cache}}),
              Status::missing_format);
    EXPECT_EQ(twins.start(heed_multi_head_init, nullptr, {.formats = {&int8_cache}, .ring = &kv_ring}),
              Status::missing_format);
    const MultiHeadInputs in = twins.inputs.cpp(2, tokens);
    for (int round = 0; round < 3; ++round) {
      twins.prefill(in, with_options);
      twins.attend(in, with_options);
      twins.encode(in, with_options);
      twins.append(in, with_options);
    }
    for (int round = 0; round < 9; ++round) {
      twins.decode(1, true);
      twins.decode(0, false);
    }
    twins.expect_same_so_far();
    EXPECT_EQ(heed_kv_cache_tokens(&twins.c.cache(), 1), twins.cpp.cache().tokens(1));
    EXPECT_EQ(heed_kv_cache_length(&twins.c.cache(), 1), 7U);
    EXPECT_EQ(heed_kv_cache_truncate(&twins.c.cache(), 1, 3), Status::bad_length);
    EXPECT_EQ(heed_kv_cache_reset(&twins.c.cache(), 1), Status::ok);
    EXPECT_EQ(heed_kv_cache_tokens(&twins.c.cache(), 1), 0U);
  }
}

TEST(CLayerTwin, PageTable) {
  MultiHeadConfig config = small();
  config.max_keys = 16;
  config.max_sequences = 5;
  config.max_pages = 2;
  Twins twins(config, {.pages = &kv_pages});
  EXPECT_EQ(twins.start(heed_multi_head_bind, nullptr, {}), Status::missing_format);
  const std::uint32_t table[] = {4, 1, 0, 3};
  std::uint32_t past[] = {0, 0};
  MultiHeadInputs in = twins.inputs.cpp(2, tokens);
  in.page_table = table;
  in.past_lengths = past;
  twins.prefill(in, false);
  EXPECT_EQ(heed_multi_head_append(&twins.c, &in, nullptr), Status::bad_length);
  past[0] = past[1] = tokens;
  twins.append(in, true);
  past[0] = past[1] = 2 * tokens;
  twins.prefill(in, true);
  past[0] = past[1] = 3 * tokens;
  twins.attend(in, false);
  twins.expect_same_so_far();
}

TEST(CLayerTwin, ScalesPerChannel) {
  MultiHeadConfig config = small();
  config.key_type = DataType::int8_channels;
  Twins twins(config, {.formats = {&int8_channel_keys}});
  float y[model_dim];
  EXPECT_EQ(heed_multi_head_decode(&twins.c, twins.inputs.x.data(), y, 0, nullptr), Status::bad_scale);
  const std::vector<float> scales(8, 0.03F);
  EXPECT_EQ(heed_kv_cache_set_key_scales(&twins.c.cache(), scales.data(), 8), Status::ok);
  EXPECT_EQ(twins.cpp.cache().set_key_scales(scales), Status::ok);
  ASSERT_EQ(twins.start(heed_multi_head_bind), Status::ok);
  twins.decode(0, false);
  twins.expect_same_so_far();
}

TEST(CLayerTwin, PartsOfOneMatrix) {
  Twins twins(small());
  EXPECT_EQ(heed_multi_head_cache(&twins.c), &twins.c.cache());
  const float* const x = twins.inputs.x.data();
  MultiHeadWeights parts;
  EXPECT_EQ(heed_split_packed(&twins.plan, x, nullptr, nullptr, nullptr, &parts), Status::ok);
  EXPECT_EQ(parts.key, x + 64);
}

TEST(CLayerTwin, KeysAreRotatedOnTheirWay) {
  const TwinInputs inputs;
  static constexpr KvCachePlan plan = heed::plan(KvCacheConfig{.max_sequences = 1,
                                                               .kv_heads = 2,
                                                               .head_dim = 4,
                                                               .value_dim = 4,
                                                               .max_keys = 6,
                                                               .key_type = DataType::float16,
                                                               .value_type = DataType::int8,
                                                               .ring = true});
  const AlignedMemory memories[] = {AlignedMemory(plan.bytes, 0), AlignedMemory(plan.bytes, 0)};
  const KvStorage storage{.formats = {&float16_cache, &int8_cache}, .ring = &kv_ring};
  KvCache cpp;
  KvCache c;
  ASSERT_EQ(cpp.init(plan, memories[0].span(), storage), Status::ok);
  ASSERT_EQ(heed_kv_cache_init(&c, &plan, memories[1].span().data(), plan.bytes, &storage), Status::ok);
  const ConstTensor rows = bhsd(inputs.x.data(), 2, 4, 4);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(append_rotated(cpp, 0, 4, rows, rows, inputs.rotary), Status::ok);
    EXPECT_EQ(heed_kv_cache_append_rotated(&c, 0, 4, rows, rows, &inputs.rotary, nullptr), Status::ok);
  }
  EXPECT_EQ(std::memcmp(memories[0].span().data(), memories[1].span().data(), plan.bytes), 0);
}

TEST(CLayerTwin, EveryTypeOfWeights) {
  for (const auto& [type, format, name] : weight_types) {
    SCOPED_TRACE(name);
    MultiHeadConfig config = small();
    config.weight_type = type;
    Twins twins(config, {}, format);
    const AlignedMemory packed(twins.plan.weights_bytes);
    EXPECT_EQ(heed_pack_weights(&twins.plan, &twins.inputs.weights, packed.span().data(), twins.plan.weights_bytes),
              type == DataType::float32 ? Status::ok : Status::bad_option);
    EXPECT_EQ(heed_pack_rounded_weights(&twins.plan, &twins.inputs.weights, packed.span().data(),
                                        twins.plan.weights_bytes - 1),
              Status::arena_too_small);
    for (const TypeCase& other : weight_types) {
      const Status status = other.type == type ? Status::ok : Status::missing_format;
      EXPECT_EQ(twins.start(heed_multi_head_init, other.format, {}), status);
      EXPECT_EQ(twins.start(heed_multi_head_bind, other.format, {}), status);
    }
    twins.prefill(twins.inputs.cpp(2, tokens), false);
    twins.decode(1, false);
    twins.expect_same_so_far();
  }
}

TEST(CLayerTwin, ATypeThatDoesNotExistIsRefused) {
  MultiHeadConfig config;
  config.model_dim = model_dim;
  config.max_keys = 1;
  config.weight_type = DataType::int4;  // of caches alone
  MultiHeadPlan plan;
  EXPECT_EQ(heed_plan_multi_head(&config, &plan), Status::bad_option);
  EXPECT_EQ(plan.bytes, 0U);
}

}  // namespace
}  // namespace heed::test
