// SPDX-License-Identifier: MIT
//
// A layer of the C interface beside the same of C++, with the same weights and inputs.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "heed/heed.h"
#include "heed/heed.hpp"
#include "support/cases.hpp"

namespace heed::test {

inline constexpr std::uint32_t model_dim = 8, tokens = 5;

/// What both interfaces read.
struct TwinInputs {
  Random random{17};
  std::vector<float> x = random.normals(2 * tokens * model_dim);
  std::vector<float> numbers = random.normals(4 * model_dim * model_dim + 4 * model_dim, 0.35F);
  MultiHeadWeights weights{matrix(0), matrix(1), matrix(2), matrix(3), bias(0), bias(1), bias(2), bias(3)};
  Rotary rotary;

  TwinInputs() { EXPECT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok); }

  [[nodiscard]] MultiHeadInputs cpp(std::uint32_t batch, std::uint32_t count) const {
    MultiHeadInputs in;
    in.batch = batch;
    in.tokens = count;
    in.input = dense(x.data(), tokens, model_dim);
    return in;
  }

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

  friend void expect_same(const Written& a, const Written& b) {
    ASSERT_EQ(a.calls.size(), b.calls.size());
    for (std::size_t i = 0; i < a.calls.size(); ++i) EXPECT_TRUE(same_bits(a.calls[i], b.calls[i])) << "call " << i;
  }
};

/// The C layer and its C++ twin, on the same configuration and over the same storage.
struct Twins {
  TwinInputs inputs;
  MultiHeadPlan cpp_plan;
  MultiHeadPlan plan;
  KvStorage storage;
  PackedWeights packed_weights;
  AlignedMemory arena, state, scratch, packed, c_packed;
  MultiHeadAttention c;
  MultiHeadAttention cpp;
  Written got, expected;
  MultiHeadOptions options{.rotary = &inputs.rotary};

  static MultiHeadPlan plan_for(const MultiHeadConfig& config) {
    MultiHeadPlan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }

  static MultiHeadPlan c_plan_for(MultiHeadConfig config) {
    if (config.ring != 0) config.ring = 9;
    MultiHeadPlan plan;
    EXPECT_EQ(heed_plan_multi_head(&config, &plan), Status::ok);
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
    EXPECT_TRUE(plan == cpp_plan);
    EXPECT_EQ(heed_pack_rounded_weights(&plan, &inputs.weights, c_packed.span().data(), plan.weights_bytes),
              Status::ok);
    EXPECT_EQ(pack_weights(cpp_plan, inputs.weights, packed.span()), Status::ok);
    EXPECT_EQ(std::memcmp(packed.span().data(), c_packed.span().data(), plan.weights_bytes), 0);
    EXPECT_EQ(start(heed_multi_head_init), Status::ok);
    EXPECT_EQ(cpp.init(cpp_plan, arena.span(), packed_weights, storage), Status::ok);
    options.attention.softcap = 3.0F;
  }

  /// init or bind, with less of each memory and other weights or storages where that is asked for.
  [[nodiscard]] Status start(auto* call, std::size_t less_state = 0, std::size_t less_scratch = 0,
                             std::size_t less_weights = 0) {
    return start(call, packed_weights.format, storage, less_state, less_scratch, less_weights);
  }
  [[nodiscard]] Status start(auto* call, const Format* format, const KvStorage& stored, std::size_t less_state = 0,
                             std::size_t less_scratch = 0, std::size_t less_weights = 0) {
    const heed_packed_weights with{c_packed.span().data(), plan.weights_bytes - less_weights, format};
    return call(&c, &plan, state.span().data(), plan.state_bytes - less_state, scratch.span().data(),
                plan.scratch_bytes - less_scratch, &with, &stored);
  }

  void prefill(const MultiHeadInputs& in, bool with_options) {
    const MultiHeadOutputs to = got.cpp();
    EXPECT_EQ(with_options ? heed_multi_head_prefill_with_options(&c, &in, &options, &to, nullptr)
                           : heed_multi_head_prefill(&c, &in, &to, nullptr),
              Status::ok);
    EXPECT_EQ(with_options ? cpp.prefill(in, options, expected.cpp()) : cpp.prefill(in, expected.cpp()), Status::ok);
  }
  void attend(const MultiHeadInputs& in, bool with_options) {
    const MultiHeadOutputs to = got.cpp();
    EXPECT_EQ(with_options ? heed_multi_head_attend_with_options(&c, &in, &options, &to, nullptr)
                           : heed_multi_head_attend(&c, &in, &to, nullptr),
              Status::ok);
    EXPECT_EQ(with_options ? cpp.attend(in, options, expected.cpp()) : cpp.attend(in, expected.cpp()), Status::ok);
  }
  void encode(const MultiHeadInputs& in, bool with_options) {
    const MultiHeadOutputs to = got.cpp();
    EXPECT_EQ(with_options ? heed_multi_head_encode_with_options(&c, &in, &options, &to, nullptr)
                           : heed_multi_head_encode(&c, &in, &to, nullptr),
              Status::ok);
    EXPECT_EQ(with_options ? cpp.encode(in, options, expected.cpp()) : cpp.encode(in, expected.cpp()), Status::ok);
  }
  void append(const MultiHeadInputs& in, bool with_options) {
    EXPECT_EQ(with_options ? heed_multi_head_append_with_options(&c, &in, &options, nullptr)
                           : heed_multi_head_append(&c, &in, nullptr),
              Status::ok);
    EXPECT_EQ(with_options ? cpp.append(in, options) : cpp.append(in), Status::ok);
  }
  void decode(std::uint32_t sequence, bool with_options) {
    const float* const x = inputs.x.data();
    float* const to = got.next().data;
    EXPECT_EQ(with_options ? heed_multi_head_decode_with_options(&c, x, to, sequence, &options, nullptr)
                           : heed_multi_head_decode(&c, x, to, sequence, nullptr),
              Status::ok);
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
