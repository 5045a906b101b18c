// SPDX-License-Identifier: MIT
//
// attend() in integers where a program links the code for one block of keys alone: the bits and the refusals of the
// call that knows nothing of its plan.
#include <gtest/gtest.h>

#include <array>

#include "support/cases.hpp"

namespace heed::test {
namespace {

constexpr auto by_one_block = [](const auto& plan, auto arena, const auto& in, const auto& out, const auto&) {
  return detail::attend_one_block(plan, arena, in, out);
};

TEST(OneBlock, HasTheBitsOfAnyCall) {
  Random random(1);
  for (std::uint32_t number = 0; number < 60; ++number) {
    AttentionShape shape;
    shape.batch = random.between(1, 2);
    shape.kv_heads = random.between(1, 2);
    shape.heads = shape.kv_heads * random.between(1, 3);
    shape.queries = random.between(1, 20);
    shape.keys = number % 5 == 0 ? 256 : random.between(1, 60);
    shape.head_dim = random.between(1, 70);
    shape.value_dim = random.between(1, 40);
    AttentionCase c = random_case(random, shape);
    constexpr Causal masks[] = {Causal::none, Causal::top_left, Causal::bottom_right, Causal::offset};
    c.causal = masks[number % 4];
    c.offset = static_cast<std::int32_t>(random.between(0, 20)) - 10;
    for (std::uint32_t b = 0; number % 3 == 0 && b < shape.batch; ++b)
      c.lengths.push_back(random.between(0, shape.keys));
    const Result expected = run(c, {.integers = true});
    const Result result = run_by(c, {.integers = true}, by_one_block);
    ASSERT_EQ(result.status, Status::ok) << number;
    EXPECT_TRUE(same_bits(result.output, expected.output)) << number;
  }
}

TEST(OneBlock, RefusesWhatAnyCallRefuses) {
  Random random(2);
  const AttentionShape shape{
      .batch = 1, .heads = 2, .kv_heads = 1, .queries = 2, .keys = 4, .head_dim = 8, .value_dim = 8};
  const AttentionCase c = random_case(random, shape);
  const auto expect = [&c](Status status, const auto& spoil) {
    const Result one = run_by(c, {.integers = true}, [&](const auto& plan, auto arena, auto in, auto out, const auto&) {
      spoil(in, out, arena);
      return detail::attend_one_block(plan, arena, in, out);
    });
    const Result any =
        run_by(c, {.integers = true}, [&](const auto& plan, auto arena, auto in, auto out, const auto& executor) {
          spoil(in, out, arena);
          return attend(plan, arena, in, out, executor);
        });
    EXPECT_EQ(one.status, status);
    EXPECT_EQ(any.status, status);
    for (const float x : one.output) EXPECT_EQ(x, -7.0F);
    for (const float x : any.output) EXPECT_EQ(x, -7.0F);
  };
  const KvCache none;
  expect(Status::zero_dimension, [](auto& in, auto&, auto&) { in.query_count = 0; });
  expect(Status::bad_scale, [](auto& in, auto&, auto&) { in.scale = 1e-40F; });
  expect(Status::null_pointer, [](auto& in, auto&, auto&) { in.query.data = nullptr; });
  expect(Status::plan_mismatch, [](auto& in, auto&, auto&) { in.cache = nullptr; });
  expect(Status::not_initialised, [&none](auto& in, auto&, auto&) { in.cache = &none; });
  expect(Status::null_pointer, [](auto&, auto& out, auto&) { out.output.data = nullptr; });
  expect(Status::arena_too_small, [](auto&, auto&, auto& arena) { arena = arena.first(64); });
}

TEST(OneBlock, IsWhatACallWithAConstantPlanTakes) {
  constexpr std::uint32_t heads = 4, kv_heads = 2, dim = 16, keys = 40;
  static constexpr AttentionPlan known =
      plan(AttentionConfig{.heads = heads, .kv_heads = kv_heads, .head_dim = dim, .max_keys = keys, .integers = 1});
  Random random(3);
  const AttentionShape shape{
      .batch = 1, .heads = heads, .kv_heads = kv_heads, .queries = 3, .keys = keys, .head_dim = dim, .value_dim = dim};
  const AttentionCase c = random_case(random, shape);
  const AlignedMemory arena(known.bytes);
  std::array<float, heads * 3 * dim> output{};
  const Result expected =
      run_by(c, {.integers = true}, [&](const auto& made, auto memory, const auto& in, const auto& out, const auto&) {
        const Status status =
            attend(known, arena.span(), in, AttentionOutputs{.output = bhsd(output.data(), heads, 3, dim)});
        return status != Status::ok ? status : attend(made, memory, in, out);
      });
  ASSERT_EQ(expected.status, Status::ok);
  EXPECT_TRUE(same_bits({output.begin(), output.end()}, expected.output));
}

}  // namespace
}  // namespace heed::test
