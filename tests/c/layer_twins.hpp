// SPDX-License-Identifier: MIT
//
// A layer of the C interface beside the same of C++, with the same weights and inputs.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "layer/layer_case.hpp"

namespace heed::test {

inline constexpr std::uint32_t model_dim = 8, tokens = 5;

/// What both interfaces read: bytes of one are bytes of the other, as runtime/c/ asserts.
struct TwinInputs {
  Random random{17};
  std::vector<float> x = random.normals(2 * tokens * model_dim);
  LayerWeights weights{random, completed({.model_dim = model_dim, .heads = 2, .max_keys = 1}), true};
  Rotary rotary;
  heed_rotary c_rotary{};
  std::vector<float> slopes{0.5F, 0.25F};

  TwinInputs() {
    EXPECT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
    c_rotary = std::bit_cast<heed_rotary>(rotary);
  }

  [[nodiscard]] MultiHeadInputs cpp(std::uint32_t batch, std::uint32_t count) const {
    MultiHeadInputs in;
    in.batch = batch;
    in.tokens = count;
    in.input = dense(x.data(), tokens, model_dim);
    return in;
  }
  [[nodiscard]] heed_multi_head_weights c_weights() const {
    return std::bit_cast<heed_multi_head_weights>(weights.view());
  }
};

/// Outputs [2, tokens, model_dim] of one interface, one call after the other.
struct Written {
  std::vector<std::vector<float>> calls;

  MutableMatrix next() {
    calls.emplace_back(2 * tokens * model_dim, -7.0F);
    return dense(calls.back().data(), tokens, model_dim);
  }
  MultiHeadOutputs cpp() { return {.output = next()}; }
  heed_multi_head_outputs c() { return std::bit_cast<heed_multi_head_outputs>(MultiHeadOutputs{.output = next()}); }

  friend void expect_same(const Written& a, const Written& b) {
    ASSERT_EQ(a.calls.size(), b.calls.size());
    for (std::size_t i = 0; i < a.calls.size(); ++i) EXPECT_TRUE(same_bits(a.calls[i], b.calls[i])) << "call " << i;
  }
};

inline heed_multi_head_options c_options(const TwinInputs& inputs) {
  heed_multi_head_options options{};
  options.attention.softcap = 3.0F;
  options.rotary = &inputs.c_rotary;
  return options;
}

inline MultiHeadOptions cpp_options(const TwinInputs& inputs) {
  MultiHeadOptions options{.rotary = &inputs.rotary};
  options.attention.softcap = 3.0F;
  return options;
}

/// The C layer over a KvCache and its C++ twin, on the same configuration.
struct Twins {
  TwinInputs inputs;
  heed_kv_multi_head_plan plan{};
  AlignedMemory arena, packed;
  heed_kv_multi_head_attention c{};
  KvLayer cpp;
  Written got, expected;

  static heed_kv_multi_head_plan plan_for(const KvMultiHeadConfig& config) {
    auto c_config = std::bit_cast<heed_kv_multi_head_config>(config);
    if (config.ring) c_config.ring = 9;
    heed_kv_multi_head_plan plan{};
    EXPECT_EQ(heed_plan_kv_multi_head(&c_config, &plan), HEED_OK);
    return plan;
  }

  explicit Twins(const KvMultiHeadConfig& config)
      : plan(plan_for(config)), arena(plan.bytes), packed(plan.weights_bytes), cpp(config, inputs.weights.view()) {
    EXPECT_EQ(std::memcmp(&plan, &cpp.plan, sizeof plan), 0);
    const heed_multi_head_weights weights = inputs.c_weights();
    EXPECT_EQ(heed_kv_pack_weights(&plan, &weights, packed.span().data(), plan.weights_bytes), HEED_OK);
    EXPECT_EQ(
        heed_kv_multi_head_init(&c, &plan, arena.span().data(), plan.bytes, packed.span().data(), plan.weights_bytes),
        HEED_OK);
  }

  /// The calls without options and with them, of both.
  void call_all(const MultiHeadInputs& in, bool with_options) {
    const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
    const heed_multi_head_options c_with = c_options(inputs);
    const MultiHeadOptions with = cpp_options(inputs);
    const heed_multi_head_options* some = with_options ? &c_with : nullptr;
    heed_multi_head_outputs to = got.c();
    EXPECT_EQ(some != nullptr ? heed_kv_multi_head_prefill_with_options(&c, &c_in, some, &to, nullptr)
                              : heed_kv_multi_head_prefill(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(some != nullptr ? cpp.layer.prefill(in, with, expected.cpp()) : cpp.layer.prefill(in, expected.cpp()),
              Status::ok);
    to = got.c();
    EXPECT_EQ(some != nullptr ? heed_kv_multi_head_attend_with_options(&c, &c_in, some, &to, nullptr)
                              : heed_kv_multi_head_attend(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(some != nullptr ? cpp.layer.attend(in, with, expected.cpp()) : cpp.layer.attend(in, expected.cpp()),
              Status::ok);
    to = got.c();
    EXPECT_EQ(some != nullptr ? heed_kv_multi_head_encode_with_options(&c, &c_in, some, &to, nullptr)
                              : heed_kv_multi_head_encode(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(some != nullptr ? cpp.layer.encode(in, with, expected.cpp()) : cpp.layer.encode(in, expected.cpp()),
              Status::ok);
    EXPECT_EQ(some != nullptr ? heed_kv_multi_head_append_with_options(&c, &c_in, some, nullptr)
                              : heed_kv_multi_head_append(&c, &c_in, nullptr),
              HEED_OK);
    EXPECT_EQ(some != nullptr ? cpp.layer.append(in, with) : cpp.layer.append(in), Status::ok);
    expect_same(got, expected);
    EXPECT_EQ(std::memcmp(arena.span().data(), cpp.arena.span().data(), plan.state_bytes), 0);
  }
};

}  // namespace heed::test
