// SPDX-License-Identifier: MIT
//
// Tensors that overlap: what is refused, and what is allowed and gives the bits of tensors apart.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t heads = 2;
constexpr std::uint32_t rows = 5;
constexpr std::uint32_t dim = 6;
constexpr std::size_t row_width = std::size_t{heads} * dim;

[[nodiscard]] AttentionPlan plan_of_attention() {
  AttentionPlan plan;
  EXPECT_EQ(make_plan(AttentionConfig{.heads = heads, .head_dim = dim, .max_keys = rows}, plan), Status::ok);
  return plan;
}

/// A call whose output may be put where its inputs are.
struct OverlappingCall {
  AttentionPlan plan = plan_of_attention();
  AlignedMemory arena{plan.bytes};
  std::vector<float> numbers;  ///< query, key, value and output after each other
  AttentionInputs in{.batch = 1, .query_count = rows, .key_count = rows};
  AttentionOutputs out;
  Witness witness;

  OverlappingCall() {
    Random random(3);
    numbers = random.normals(4 * rows * row_width);
    in.query = tensor(0);
    in.key = tensor(1);
    in.value = tensor(2);
    out.output = tensor(3);
    witness.watch("numbers", numbers);
    witness.watch("arena", arena.span());
  }

  [[nodiscard]] MutableTensor tensor(std::size_t number) {
    return bshd(numbers.data() + number * rows * row_width, heads, rows, dim);
  }
};

TEST(OverlapRefusal, AnAttentionsOutputOnItsInputs) {
  OverlappingCall call;
  const MutableTensor apart = call.out.output;
  for (const std::size_t input : {0U, 1U, 2U}) {
    call.out.output = call.tensor(input);
    call.witness.expect(Status::overlap, "without options",
                        [&] { return attend(call.plan, call.arena.span(), call.in, call.out); });
    call.witness.expect(Status::overlap, "with options", [&] {
      return attend(call.plan, call.arena.span(), call.in, AttentionOptions{.softcap = 5.0F}, call.out);
    });
  }
  call.out.output = apart;
  EXPECT_EQ(attend(call.plan, call.arena.span(), call.in, call.out), Status::ok);
  // What is not read may be anywhere.
  call.in.key_count = 0;
  call.in.key = call.in.value = apart;
  EXPECT_EQ(attend(call.plan, call.arena.span(), call.in, call.out), Status::ok);
}

TEST(OverlapRefusal, AnAttentionsOutputOnItsQueriesOverCaches) {
  OverlappingCall call;
  const MutableTensor apart = call.out.output;
  const BuiltCache built({.kv_heads = heads, .head_dim = dim, .max_keys = rows, .key_type = DataType::int8});
  call.in.cache = &built.cache;
  call.in.key_count = 0;
  for (const bool on_query : {true, false}) {
    call.out.output = on_query ? call.tensor(0) : apart;
    call.in.key = call.in.value = call.out.output;  // not read
    const auto plain = [&] { return attend(call.plan, call.arena.span(), call.in, call.out); };
    const auto with_options = [&] {
      return attend(call.plan, call.arena.span(), call.in, AttentionOptions{}, call.out);
    };
    if (on_query) {
      call.witness.expect(Status::overlap, "a cache", plain);
      call.witness.expect(Status::overlap, "a cache, with options", with_options);
    } else {
      EXPECT_EQ(plain(), Status::ok);
      EXPECT_EQ(with_options(), Status::ok);
    }
  }
}

/// Queries, keys, values and outputs of a token side by side: [rows, 4, heads, dim].
TEST(OverlapRefusal, TensorsInOneBufferGoThrough) {
  OverlappingCall call;
  ASSERT_EQ(attend(call.plan, call.arena.span(), call.in, call.out), Status::ok);
  std::vector<float> packed(call.numbers.size());
  const auto view = [&](std::size_t slot) {
    return MutableTensor{packed.data() + slot * row_width, 0, dim, 4 * row_width};
  };
  for (std::size_t slot = 0; slot < 3; ++slot) {
    for (std::uint32_t head = 0; head < heads; ++head) {
      for (std::uint32_t row = 0; row < rows; ++row) {
        std::memcpy(view(slot).row(0, head, row), call.tensor(slot).row(0, head, row), dim * sizeof(float));
      }
    }
  }
  AttentionInputs in = call.in;
  in.query = view(0);
  in.key = view(1);
  in.value = view(2);
  ASSERT_EQ(attend(call.plan, call.arena.span(), in, {.output = view(3)}), Status::ok);
  for (std::uint32_t head = 0; head < heads; ++head) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      EXPECT_EQ(std::memcmp(view(3).row(0, head, row), call.out.output.row(0, head, row), dim * sizeof(float)), 0);
    }
  }
}

TEST(OverlapRefusal, ALinearLayersOutputOnItsInput) {
  LinearPlan plan;
  ASSERT_EQ(make_plan(LinearConfig{.inputs = 4, .outputs = 4}, plan), Status::ok);
  const AlignedMemory packed(plan.bytes);
  std::vector<float> x(16, 0.5F), y(12, -7.0F);
  ASSERT_EQ(pack_linear(plan, x.data(), nullptr, packed.span()), Status::ok);
  Witness witness;
  witness.watch("x", x);
  witness.expect(Status::overlap, "y on x",
                 [&] { return linear(plan, packed.span(), 3, dense(x.data(), 3, 4), dense(x.data(), 3, 4)); });
  EXPECT_EQ(linear(plan, packed.span(), 3, dense(x.data(), 3, 4), dense(y.data(), 3, 4)), Status::ok);
}

constexpr std::uint32_t tokens = 9;
constexpr std::uint32_t model_dim = 8;

/// A layer's calls in place: the bits of calls whose output is apart, for any split into pieces.
void expect_in_place(const MultiHeadConfig& config) {
  Random random(6);
  const LayerWeights weights(
      random, completed({.model_dim = model_dim, .heads = 2, .max_keys = tokens, .max_sequences = 2}), true);
  const std::vector<float> x = random.normals(2 * tokens * model_dim);
  for (const bool encoder : {true, false}) {
    Layer apart(config, weights.view());
    Layer in_place(config, weights.view());
    std::vector<float> y(x.size(), -7.0F);
    std::vector<float> z = x;
    const auto run = [&](Layer& layer, const float* from, float* to) {
      MultiHeadInputs in;
      in.batch = 2;
      in.tokens = tokens;
      in.input = dense(from, tokens, model_dim);
      const MultiHeadOutputs out{.output = dense(to, tokens, model_dim)};
      return encoder ? layer.layer.encode(in, out) : layer.layer.prefill(in, out);
    };
    ASSERT_EQ(run(apart, x.data(), y.data()), Status::ok);
    ASSERT_EQ(run(in_place, z.data(), z.data()), Status::ok);
    EXPECT_EQ(std::memcmp(y.data(), z.data(), y.size() * sizeof(float)), 0);
    ASSERT_EQ(apart.layer.cache().truncate(1, 0), Status::ok);
    ASSERT_EQ(in_place.layer.cache().truncate(1, 0), Status::ok);
    ASSERT_EQ(apart.layer.decode(x.data(), y.data(), 1), Status::ok);
    std::copy_n(x.data(), model_dim, z.data());
    ASSERT_EQ(in_place.layer.decode(z.data(), z.data(), 1), Status::ok);
    EXPECT_EQ(std::memcmp(y.data(), z.data(), model_dim * sizeof(float)), 0);
  }
}

TEST(OverlapRefusal, LayersWorkInPlace) {
  for (const std::uint32_t budget : {0U, 1U}) {
    MultiHeadConfig config{.model_dim = model_dim, .heads = 2, .max_keys = tokens, .max_sequences = 2};
    config.scratch_budget = budget;
    expect_in_place(config);
    config.key_type = DataType::int8;
    expect_in_place(config);
    config.ring = true;
    expect_in_place(config);
  }
}

TEST(OverlapRefusal, LayersInPlaceWithOtherSteps) {
  Random random(6);
  const LayerWeights weights(
      random, completed({.model_dim = model_dim, .heads = 2, .max_keys = tokens, .max_sequences = 2}), true);
  Layer layer({.model_dim = model_dim, .heads = 2, .max_keys = tokens, .max_sequences = 2}, weights.view());
  std::vector<float> x = random.normals(4 * tokens * model_dim);
  Witness witness;
  witness.watch("numbers", x);
  witness.watch("arena", layer.arena.span());
  const auto prefill = [&](std::uint32_t batch, std::uint32_t count, MutableMatrix output) {
    MultiHeadInputs in;
    in.batch = batch;
    in.tokens = count;
    in.input = dense<const float>(x.data(), tokens, model_dim);
    return layer.layer.prefill(in, {.output = output});
  };
  const std::ptrdiff_t entry = tokens * model_dim;
  witness.expect(Status::overlap, "wider rows", [&] { return prefill(1, 2, {x.data(), entry, 2 * model_dim}); });
  witness.expect(Status::overlap, "wider entries", [&] { return prefill(2, 2, {x.data(), 2 * entry, model_dim}); });
  // A stride that is not used may be anything.
  EXPECT_EQ(prefill(1, 2, {x.data(), 0, model_dim}), Status::ok);
  EXPECT_EQ(prefill(2, 1, {x.data(), entry, 2 * model_dim}), Status::ok);
  EXPECT_EQ(prefill(1, 1, {x.data(), 0, 0}), Status::ok);
}

}  // namespace
}  // namespace heed::test
