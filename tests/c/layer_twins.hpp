// SPDX-License-Identifier: MIT
//
// A layer of the C interface beside the same of C++, with the same weights and inputs.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"

namespace heed::test {

inline constexpr std::uint32_t model_dim = 8, tokens = 5;

/// What both interfaces read: bytes of one are bytes of the other, as runtime/c/ asserts.
struct TwinInputs {
  Random random{17};
  std::vector<float> x = random.normals(2 * tokens * model_dim);
  std::vector<float> numbers = random.normals(4 * model_dim * model_dim + 4 * model_dim, 0.35F);
  MultiHeadWeights weights{matrix(0), matrix(1), matrix(2), matrix(3), bias(0), bias(1), bias(2), bias(3)};
  Rotary rotary;
  heed_rotary c_rotary{};

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
  [[nodiscard]] heed_multi_head_weights c_weights() const { return std::bit_cast<heed_multi_head_weights>(weights); }

 private:
  [[nodiscard]] const float* matrix(std::size_t number) const { return &numbers[number * model_dim * model_dim]; }
  [[nodiscard]] const float* bias(std::size_t number) const { return matrix(4) + number * model_dim; }
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

/// The C layer and its C++ twin, on the same configuration and over the same storage.
struct Twins {
  TwinInputs inputs;
  MultiHeadPlan cpp_plan;
  heed_multi_head_plan plan{};
  KvStorage storage;
  PackedWeights packed_weights;
  AlignedMemory arena, state, scratch, packed, c_packed;
  heed_multi_head_attention c{};
  MultiHeadAttention cpp;
  Written got, expected;
  heed_multi_head_options c_options{};
  MultiHeadOptions options{.rotary = &inputs.rotary};

  static MultiHeadPlan plan_for(const MultiHeadConfig& config) {
    MultiHeadPlan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }

  static heed_multi_head_plan c_plan_for(const MultiHeadConfig& config) {
    auto c_config = std::bit_cast<heed_multi_head_config>(config);
    if (config.ring != 0) c_config.ring = 9;
    heed_multi_head_plan plan{};
    EXPECT_EQ(heed_plan_multi_head(&c_config, &plan), HEED_OK);
    return plan;
  }

  explicit Twins(const MultiHeadConfig& config, const KvStorage& stored = {}, const Format* format = nullptr)
      : cpp_plan(plan_for(config)),
        plan(c_plan_for(config)),
        storage(stored),
        arena(cpp_plan.bytes),
        state(cpp_plan.state_bytes),
        scratch(cpp_plan.scratch_bytes),
        packed(cpp_plan.weights_bytes),
        c_packed(cpp_plan.weights_bytes) {
    packed_weights = {packed.span(), format};
    EXPECT_EQ(std::memcmp(&plan, &cpp_plan, sizeof plan), 0);
    const heed_multi_head_weights weights = inputs.c_weights();
    EXPECT_EQ(heed_pack_rounded_weights(&plan, &weights, c_packed.span().data(), plan.weights_bytes), HEED_OK);
    EXPECT_EQ(pack_weights(cpp_plan, inputs.weights, packed.span()), Status::ok);
    EXPECT_EQ(std::memcmp(packed.span().data(), c_packed.span().data(), plan.weights_bytes), 0);
    EXPECT_EQ(start(heed_multi_head_init), HEED_OK);
    EXPECT_EQ(cpp.init(cpp_plan, arena.span(), packed_weights, storage), Status::ok);
    c_options.attention.softcap = options.attention.softcap = 3.0F;
    c_options.rotary = &inputs.c_rotary;
  }

  /// init or bind, with less of each memory and other weights or storages where that is asked for.
  [[nodiscard]] heed_status start(auto* call, std::size_t less_state = 0, std::size_t less_scratch = 0,
                                  std::size_t less_weights = 0) {
    return start(call, packed_weights.format, storage, less_state, less_scratch, less_weights);
  }
  [[nodiscard]] heed_status start(auto* call, const Format* format, const KvStorage& stored, std::size_t less_state = 0,
                                  std::size_t less_scratch = 0, std::size_t less_weights = 0) {
    const heed_packed_weights with{c_packed.span().data(), plan.weights_bytes - less_weights, format};
    const auto c_storage = std::bit_cast<heed_kv_storage>(stored);
    return call(&c, &plan, state.span().data(), plan.state_bytes - less_state, scratch.span().data(),
                plan.scratch_bytes - less_scratch, &with, &c_storage);
  }

  void prefill(const MultiHeadInputs& in, bool with_options) {
    const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
    const heed_multi_head_outputs to = got.c();
    EXPECT_EQ(with_options ? heed_multi_head_prefill_with_options(&c, &c_in, &c_options, &to, nullptr)
                           : heed_multi_head_prefill(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(with_options ? cpp.prefill(in, options, expected.cpp()) : cpp.prefill(in, expected.cpp()), Status::ok);
  }
  void attend(const MultiHeadInputs& in, bool with_options) {
    const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
    const heed_multi_head_outputs to = got.c();
    EXPECT_EQ(with_options ? heed_multi_head_attend_with_options(&c, &c_in, &c_options, &to, nullptr)
                           : heed_multi_head_attend(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(with_options ? cpp.attend(in, options, expected.cpp()) : cpp.attend(in, expected.cpp()), Status::ok);
  }
  void encode(const MultiHeadInputs& in, bool with_options) {
    const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
    const heed_multi_head_outputs to = got.c();
    EXPECT_EQ(with_options ? heed_multi_head_encode_with_options(&c, &c_in, &c_options, &to, nullptr)
                           : heed_multi_head_encode(&c, &c_in, &to, nullptr),
              HEED_OK);
    EXPECT_EQ(with_options ? cpp.encode(in, options, expected.cpp()) : cpp.encode(in, expected.cpp()), Status::ok);
  }
  void append(const MultiHeadInputs& in, bool with_options) {
    const auto c_in = std::bit_cast<heed_multi_head_inputs>(in);
    EXPECT_EQ(with_options ? heed_multi_head_append_with_options(&c, &c_in, &c_options, nullptr)
                           : heed_multi_head_append(&c, &c_in, nullptr),
              HEED_OK);
    EXPECT_EQ(with_options ? cpp.append(in, options) : cpp.append(in), Status::ok);
  }
  void decode(std::uint32_t sequence, bool with_options) {
    const float* const x = inputs.x.data();
    float* const to = got.next().data;
    EXPECT_EQ(with_options ? heed_multi_head_decode_with_options(&c, x, to, sequence, &c_options, nullptr)
                           : heed_multi_head_decode(&c, x, to, sequence, nullptr),
              HEED_OK);
    float* const expected_to = expected.next().data;
    EXPECT_EQ(with_options ? cpp.decode(x, expected_to, sequence, options) : cpp.decode(x, expected_to, sequence),
              Status::ok);
  }

  /// All that was written, and the states.
  void expect_same_so_far() {
    expect_same(got, expected);
    EXPECT_EQ(std::memcmp(state.span().data(), arena.span().data(), plan.state_bytes), 0);
  }
};

}  // namespace heed::test
