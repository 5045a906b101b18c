// SPDX-License-Identifier: MIT
//
// Layers of the C interface over weights in few bits against those of C++, to the bit, over either cache.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "c/layer_twins.hpp"

namespace heed::test {
namespace {

struct Format {
  heed_weight_type type;
  const heed_weight_format* c;
  const WeightFormat* cpp;
};

std::vector<Format> formats() {
  return {{HEED_WEIGHT_FLOAT32, nullptr, nullptr},
          {HEED_WEIGHT_FLOAT16, heed_float16_weights(), &float16_weights},
          {HEED_WEIGHT_BFLOAT16, heed_bfloat16_weights(), &bfloat16_weights},
          {HEED_WEIGHT_INT8, heed_int8_weights(), &int8_weights},
          {HEED_WEIGHT_INT8_GROUPS, heed_int8_group_weights(), &int8_group_weights},
          {HEED_WEIGHT_INT4_GROUPS, heed_int4_group_weights(), &int4_group_weights}};
}

/// What differs between the layers of C.
struct FloatLayerOfC {
  using Cpp = MultiHeadAttention;
  heed_multi_head_attention layer{};
  static constexpr auto make_plan = heed_plan_multi_head;
  static constexpr auto pack_floats = heed_pack_weights;
  static constexpr auto pack = heed_pack_rounded_weights;
  static constexpr auto init = heed_multi_head_init_packed;
  static constexpr auto bind = heed_multi_head_bind_packed;
  static constexpr auto prefill = heed_multi_head_prefill;
  static constexpr auto decode = heed_multi_head_decode_on;
  heed_multi_head_config config{};
  heed_multi_head_plan plan{};
};

struct KvLayerOfC {
  using Cpp = KvMultiHeadAttention;
  heed_kv_multi_head_attention layer{};
  static constexpr auto make_plan = heed_plan_kv_multi_head;
  static constexpr auto pack_floats = heed_kv_pack_weights;
  static constexpr auto pack = heed_kv_pack_rounded_weights;
  static constexpr auto init = heed_kv_multi_head_init_packed;
  static constexpr auto bind = heed_kv_multi_head_bind_packed;
  static constexpr auto prefill = heed_kv_multi_head_prefill;
  static constexpr auto decode = heed_kv_multi_head_decode;
  heed_kv_multi_head_config config{};
  heed_kv_multi_head_plan plan{};
};

template <class C>
void expect_same_layer(const Format& format) {
  const TwinInputs inputs;
  C c;
  c.config.model_dim = model_dim;
  c.config.heads = 2;
  c.config.max_keys = 30;
  c.config.max_sequences = 2;
  c.config.weight_type = format.type;
  ASSERT_EQ(C::make_plan(&c.config, &c.plan), HEED_OK);
  typename C::Cpp::Plan plan;
  ASSERT_EQ(make_plan(std::bit_cast<decltype(plan.config)>(c.config), plan), Status::ok);
  ASSERT_EQ(std::memcmp(&c.plan, &plan, sizeof plan), 0);

  const AlignedMemory state(plan.state_bytes), scratch(plan.scratch_bytes), packed(plan.weights_bytes);
  const AlignedMemory arena(plan.bytes), cpp_packed(plan.weights_bytes);
  const heed_multi_head_weights weights = inputs.c_weights();
  const bool floats = format.type == HEED_WEIGHT_FLOAT32;
  EXPECT_EQ(C::pack_floats(&c.plan, &weights, packed.span().data(), plan.weights_bytes),
            floats ? HEED_OK : HEED_BAD_OPTION);
  EXPECT_EQ(C::pack(&c.plan, &weights, packed.span().data(), plan.weights_bytes - 1), HEED_ARENA_TOO_SMALL);
  ASSERT_EQ(C::pack(&c.plan, &weights, packed.span().data(), plan.weights_bytes), HEED_OK);
  ASSERT_EQ(pack_weights(plan, inputs.weights.view(), cpp_packed.span()), Status::ok);
  EXPECT_EQ(std::memcmp(packed.span().data(), cpp_packed.span().data(), plan.weights_bytes), 0);

  const auto start = [&](auto* call, const heed_packed_weights& with) {
    return call(&c.layer, &c.plan, state.span().data(), plan.state_bytes, scratch.span().data(), plan.scratch_bytes,
                &with);
  };
  const auto with = [&](const heed_weight_format* some) {
    return heed_packed_weights{packed.span().data(), plan.weights_bytes, some};
  };
  for (const Format& other : formats()) {
    const bool same = other.type == format.type;
    EXPECT_EQ(start(C::init, with(other.c)), same ? HEED_OK : HEED_MISSING_FORMAT);
    EXPECT_EQ(start(C::bind, with(other.c)), same ? HEED_OK : HEED_MISSING_FORMAT);
  }
  heed_packed_weights short_of_a_byte = with(format.c);
  --short_of_a_byte.size;
  EXPECT_EQ(start(C::init, short_of_a_byte), HEED_ARENA_TOO_SMALL);
  ASSERT_EQ(start(C::init, with(format.c)), HEED_OK);
  typename C::Cpp cpp;
  ASSERT_EQ(cpp.init(plan, arena.span(), {cpp_packed.span(), format.cpp}), Status::ok);

  Written got, expected;
  const MultiHeadInputs in = inputs.cpp(2, tokens);
  const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
  heed_multi_head_outputs to = got.c();
  EXPECT_EQ(C::prefill(&c.layer, &c_in, &to, nullptr), HEED_OK);
  EXPECT_EQ(cpp.prefill(in, expected.cpp()), Status::ok);
  ASSERT_EQ(start(C::bind, with(format.c)), HEED_OK);
  EXPECT_EQ(C::decode(&c.layer, inputs.x.data(), got.next().data, 1, nullptr), HEED_OK);
  EXPECT_EQ(cpp.decode(inputs.x.data(), expected.next().data, 1), Status::ok);
  expect_same(got, expected);
}

TEST(CWeightsTwin, LayersOverEveryType) {
  for (const Format& format : formats()) {
    SCOPED_TRACE(format.type);
    expect_same_layer<FloatLayerOfC>(format);
    expect_same_layer<KvLayerOfC>(format);
  }
}

TEST(CWeightsTwin, ATypeThatDoesNotExistIsRefused) {
  heed_multi_head_config config{};
  config.model_dim = model_dim;
  config.max_keys = 1;
  config.weight_type = HEED_WEIGHT_INT4_GROUPS + 1;
  heed_multi_head_plan plan{};
  EXPECT_EQ(heed_plan_multi_head(&config, &plan), HEED_BAD_OPTION);
  EXPECT_EQ(plan.bytes, 0U);
}

}  // namespace
}  // namespace heed::test
