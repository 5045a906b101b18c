// SPDX-License-Identifier: MIT
//
// Everything that attend() refuses, status by status, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "refusal/refused_attend.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t lengths_ok[] = {9, 0};
constexpr std::uint32_t lengths_bad[] = {9, 10};
constexpr std::uint32_t lengths_wild[] = {UINT32_MAX, 0};
constexpr std::uint32_t sequences_swapped[] = {1, 0};
constexpr std::uint32_t sequences_bad[] = {0, 2};

struct AttendCall {
  AttentionPlan plan;
  std::span<std::byte> arena;
  AttentionInputs in;
  AttentionOutputs out;

  [[nodiscard]] Status operator()() const { return attend(plan, arena, in, out); }
};

using RefusedAttend = RefusedAttendOf<AttendCall>;

TEST_F(RefusedAttend, PlanAndArena) {
  expect_refusals({
      {"a plan that was never made", Status::not_initialised, [](AttendCall& c) { c.plan = {}; }},
      {"no arena", Status::null_pointer, [](AttendCall& c) { c.arena = {}; }},
      {"null arena of the right size", Status::null_pointer,
       [](AttendCall& c) {
         c.arena = {static_cast<std::byte*>(nullptr), c.arena.size()};
       }},
      {"arena one byte too small", Status::arena_too_small,
       [](AttendCall& c) { c.arena = c.arena.first(c.arena.size() - 1); }},
      {"empty arena", Status::arena_too_small, [](AttendCall& c) { c.arena = c.arena.first(0); }},
      {"arena moved by 4 bytes", Status::arena_misaligned,
       [](AttendCall& c) {
         c.arena = {c.arena.data() + 4, c.arena.size()};
       }},
      {"arena moved by 32 bytes", Status::arena_misaligned,
       [](AttendCall& c) {
         c.arena = {c.arena.data() + 32, c.arena.size()};
       }},
  });
}

TEST_F(RefusedAttend, CountsAndOptions) {
  expect_refusals({
      {"no queries", Status::zero_dimension, [](AttendCall& c) { c.in.query_count = 0; }},
      {"batch above 2^30", Status::too_large, [](AttendCall& c) { c.in.batch = too_many_rows; }},
      {"queries above 2^30", Status::too_large, [](AttendCall& c) { c.in.query_count = too_many_rows; }},
      {"queries times group above 2^30", Status::too_large,
       [](AttendCall& c) {
         c.in.batch = 1;
         c.in.query_count = (1U << 29) + 1;
       }},
      {"batch times rows of 2^32", Status::too_large, [](AttendCall& c) { c.in.batch = 1U << 30; }},
      {"keys above the plan", Status::keys_exceed_plan, [](AttendCall& c) { c.in.key_count = 11; }},
      {"keys far above the plan", Status::keys_exceed_plan, [](AttendCall& c) { c.in.key_count = UINT32_MAX; }},
      {"length above keys", Status::bad_length, [](AttendCall& c) { c.in.key_lengths = lengths_bad; }},
      {"length far above keys", Status::bad_length, [](AttendCall& c) { c.in.key_lengths = lengths_wild; }},
      {"infinite scale", Status::bad_scale, [](AttendCall& c) { c.in.scale = infinity; }},
      {"negative infinite scale", Status::bad_scale, [](AttendCall& c) { c.in.scale = -infinity; }},
      {"scale NaN", Status::bad_scale, [](AttendCall& c) { c.in.scale = nan; }},
      {"scale 2.36e38", Status::bad_scale, [](AttendCall& c) { c.in.scale = 2.36e38F; }},
      {"scale -2.36e38", Status::bad_scale, [](AttendCall& c) { c.in.scale = -2.36e38F; }},
      {"subnormal scale", Status::bad_scale, [](AttendCall& c) { c.in.scale = 0x1.62e42cp-127F; }},
      {"least scale", Status::bad_scale, [](AttendCall& c) { c.in.scale = -0x1p-149F; }},
      {"causal 4", Status::bad_option, [](AttendCall& c) { c.in.causal = static_cast<Causal>(4); }},
      {"causal 255", Status::bad_option, [](AttendCall& c) { c.in.causal = static_cast<Causal>(255); }},
      {"score stage 4", Status::bad_option, [](AttendCall& c) { c.out.score_stage = static_cast<ScoreStage>(4); }},
      {"stage 255", Status::bad_option, [](AttendCall& c) { c.out.score_stage = static_cast<ScoreStage>(255); }},
  });
}

/// One head and one query, so that the batch is all that can be too large. Its output would not fit the address space.
TEST_F(RefusedAttend, BatchesOfOneRow) {
  EXPECT_EQ(make_plan(AttentionConfig{.heads = 1, .head_dim = 5, .max_keys = 10}, call.plan), Status::ok);
  call.arena = arena.span().first(call.plan.bytes);
  call.in.batch = call.in.query_count = 1;
  call.out.output.batch_stride = call.out.output.row_stride = far;
  call.out.scores = {};
  expect_refusals({
      {"batch of 2^30", Status::bad_stride, [](AttendCall& c) { c.in.batch = 1U << 30; }},
      {"batch above 2^30", Status::too_large, [](AttendCall& c) { c.in.batch = too_many_rows; }},
      {"the greatest batch", Status::too_large, [](AttendCall& c) { c.in.batch = UINT32_MAX; }},
      {"queries of 2^30", Status::bad_stride, [](AttendCall& c) { c.in.query_count = 1U << 30; }},
      {"queries above 2^30", Status::too_large, [](AttendCall& c) { c.in.query_count = too_many_rows; }},
      {"2^32 - 1 rows", Status::bad_stride,
       [](AttendCall& c) {
         c.in.batch = 65535;
         c.in.query_count = 65537;
       }},
      {"2^32 rows", Status::too_large, [](AttendCall& c) { c.in.batch = c.in.query_count = 65536; }},
  });
}

TEST_F(RefusedAttend, RowsWhoseNumberIsZeroIn64Bits) {
  EXPECT_EQ(make_plan(AttentionConfig{.heads = 65536, .head_dim = 5, .max_keys = 10}, call.plan), Status::ok);
  call.in.batch = 1U << 18;
  call.in.query_count = 1U << 30;
  call.in.query = {query.data(), 0, 0, 0};
  witness.expect(Status::too_large, "2^64 rows", call);
}

TEST_F(RefusedAttend, PointersAndStrides) {
  expect_refusals({
      {"no query", Status::null_pointer, [](AttendCall& c) { c.in.query.data = nullptr; }},
      {"no key", Status::null_pointer, [](AttendCall& c) { c.in.key.data = nullptr; }},
      {"no value", Status::null_pointer, [](AttendCall& c) { c.in.value.data = nullptr; }},
      {"no output", Status::null_pointer, [](AttendCall& c) { c.out.output.data = nullptr; }},
      {"output rows overlap", Status::bad_stride, [](AttendCall& c) { c.out.output.row_stride = 5; }},
      {"output rows coincide", Status::bad_stride, [](AttendCall& c) { c.out.output.row_stride = 0; }},
      {"output rows overlap backwards", Status::bad_stride, [](AttendCall& c) { c.out.output.row_stride = -5; }},
      {"output heads overlap", Status::bad_stride, [](AttendCall& c) { c.out.output.head_stride = 5; }},
      {"output batch entries coincide", Status::bad_stride, [](AttendCall& c) { c.out.output.batch_stride = 0; }},
      {"output heads lie among rows", Status::bad_stride, [](AttendCall& c) { c.out.output.head_stride = 12; }},
      {"output rows lie among heads", Status::bad_stride, [](AttendCall& c) { c.out.output.row_stride = 19; }},
      {"output rows are heads", Status::bad_stride, [](AttendCall& c) { c.out.output.head_stride = -6; }},
      {"output batch entries one short", Status::bad_stride, [](AttendCall& c) { c.out.output.batch_stride = 71; }},
      {"score heads one short", Status::bad_stride, [](AttendCall& c) { c.out.scores.head_stride = 26; }},
      {"score batch entries one short", Status::bad_stride, [](AttendCall& c) { c.out.scores.batch_stride = -107; }},
      {"score rows overlap", Status::bad_stride, [](AttendCall& c) { c.out.scores.row_stride = 8; }},
      {"score heads coincide", Status::bad_stride, [](AttendCall& c) { c.out.scores.head_stride = 0; }},
      {"score batch entries overlap", Status::bad_stride, [](AttendCall& c) { c.out.scores.batch_stride = -8; }},
      {"query rows overflow", Status::bad_stride, [](AttendCall& c) { c.in.query.row_stride = far; }},
      {"query heads overflow backwards", Status::bad_stride, [](AttendCall& c) { c.in.query.head_stride = far_back; }},
      {"key batch overflows", Status::bad_stride, [](AttendCall& c) { c.in.key.batch_stride = far; }},
      {"key rows overflow in bytes", Status::bad_stride, [](AttendCall& c) { c.in.key.row_stride = far / 4 / 8 + 1; }},
      {"value rows overflow", Status::bad_stride, [](AttendCall& c) { c.in.value.row_stride = far_back; }},
      {"output rows overflow", Status::bad_stride, [](AttendCall& c) { c.out.output.row_stride = far; }},
      {"score rows overflow", Status::bad_stride, [](AttendCall& c) { c.out.scores.row_stride = far / 2; }},
      {"a sum of strides overflows", Status::bad_stride,
       [](AttendCall& c) {
         c.in.value.batch_stride = far / 4 / 2;
         c.in.value.head_stride = far / 4 / 2;
       }},
  });
}

TEST_F(RefusedAttend, KeysFromACache) {
  call.in.cache = &cache;
  call.in.key = {};
  call.in.value = {};
  static const KvCache empty;
  static KvCache other;
  const AlignedMemory memory(1 << 16);
  KvCachePlan other_plan;
  ASSERT_EQ(make_plan(KvCacheConfig{2, 2, 5, 5, 9}, other_plan), Status::ok);
  ASSERT_EQ(other.init(other_plan, memory.span()), Status::ok);
  expect_refusals({
      {"cache without memory", Status::not_initialised, [](AttendCall& c) { c.in.cache = &empty; }},
      {"cache of another value_dim", Status::plan_mismatch, [](AttendCall& c) { c.in.cache = &other; }},
      {"batch entry without a sequence", Status::bad_sequence, [](AttendCall& c) { c.in.batch = 3; }},
      {"sequence that does not exist", Status::bad_sequence, [](AttendCall& c) { c.in.sequence_ids = sequences_bad; }},
      {"more keys than the plan", Status::keys_exceed_plan,
       [](AttendCall& c) {
         c.plan = plan(AttentionConfig{4, 2, 5, 6, 8, 2, 1});
       }},
      {"as many keys as the plan, and no output", Status::null_pointer,
       [](AttendCall& c) {
         c.plan = plan(AttentionConfig{4, 2, 5, 6, 9, 2, 1});
         c.out.output.data = nullptr;
       }},
      {"length above the cache's", Status::bad_length, [](AttendCall& c) { c.in.key_lengths = lengths_bad; }},
      {"score rows overlap", Status::bad_stride, [](AttendCall& c) { c.out.scores.row_stride = 8; }},
  });
}

TEST_F(RefusedAttend, WhatLooksOddAndIsAllowedWorks) {
  call.in.key_lengths = lengths_ok;
  EXPECT_EQ(call(), Status::ok);
  call.in.query = {query.data(), 0, 0, 0};  // one query for all
  EXPECT_EQ(call(), Status::ok);
  call.out.output = {&output[2 * 4 * 3 * 6 - 6], -72, -18, -6};  // written from the end
  EXPECT_EQ(call(), Status::ok);
  call.out.scores = {};
  call.out.score_stage = static_cast<ScoreStage>(200);  // not read
  EXPECT_EQ(call(), Status::ok);
  call.in.cache = &cache;
  call.in.sequence_ids = sequences_swapped;
  call.in.key_lengths = nullptr;
  EXPECT_EQ(call(), Status::ok);
  call.in.cache = nullptr;
  call.in.key_count = 0;
  call.in.key = {};
  call.in.value = {};
  EXPECT_EQ(call(), Status::ok);
  EXPECT_EQ(output, std::vector<float>(output.size(), 0.0F));
  call.in.batch = 1;
  call.in.query.batch_stride = far;  // never stepped over
  call.out.output.batch_stride = far_back;
  EXPECT_EQ(call(), Status::ok);
}

}  // namespace
}  // namespace heed::test
