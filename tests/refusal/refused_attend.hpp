// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "refusal/refusals.hpp"
#include "support/cases.hpp"

namespace heed::test {

/// A good call of attend(): batch 2, 4 heads on 2, 3 queries, 9 keys of 10 allowed, head_dim 5, value_dim 6, a cache of
/// the same keys, and all that the call could write, watched. Call has plan, arena, in and out, and is called.
template <class Call>
class RefusedAttendOf : public testing::Test {
 protected:
  RefusedAttendOf() {
    EXPECT_EQ(make_plan(AttentionConfig{4, 2, 5, 6, 10, 2, 1}, call.plan), Status::ok);
    call.arena = arena.span().first(call.plan.bytes);
    call.in.batch = 2;
    call.in.query_count = 3;
    call.in.key_count = 9;
    call.in.query = bhsd<const float>(query.data(), 4, 3, 5);
    call.in.key = bhsd<const float>(key.data(), 2, 9, 5);
    call.in.value = bhsd<const float>(value.data(), 2, 9, 6);
    call.out.output = bhsd(output.data(), 4, 3, 6);
    call.out.scores = bhsd(scores.data(), 4, 3, 9);
    call.out.log_sum_exp = log_sum_exp.data();
    EXPECT_EQ(make_plan(KvCacheConfig{2, 2, 5, 6, 9}, cache_plan), Status::ok);
    EXPECT_EQ(cache.init(cache_plan, cache_memory.span()), Status::ok);
    for (std::uint32_t b = 0; b < 2; ++b) {
      EXPECT_EQ(cache.append(b, 9, {call.in.key.row(b, 0, 0), 0, 45, 5}, {call.in.value.row(b, 0, 0), 0, 54, 6}),
                Status::ok);
    }
    witness.watch("arena", arena.span());
    witness.watch("cache memory", cache_memory.span());
    witness.watch("query", query);
    witness.watch("key", key);
    witness.watch("value", value);
    witness.watch("output", output);
    witness.watch("scores", scores);
    witness.watch("log-sum-exp", log_sum_exp);
    witness.watch_object("cache object", cache);
  }

  template <std::size_t Count>
  void expect_refusals(const Refusal<Call> (&refusals)[Count]) {
    for (const Refusal<Call>& refusal : refusals) {
      Call spoilt = call;
      refusal.spoil(spoilt);
      witness.expect(refusal.expected, refusal.what, spoilt);
    }
    EXPECT_EQ(call(), Status::ok);
  }

  KvCachePlan cache_plan;
  Random random{1};
  std::vector<float> query = random.normals(2 * 4 * 3 * 5);
  std::vector<float> key = random.normals(2 * 2 * 9 * 5);
  std::vector<float> value = random.normals(2 * 2 * 9 * 6);
  std::vector<float> output = std::vector<float>(2 * 4 * 3 * 6, -7.0F);
  std::vector<float> scores = std::vector<float>(2 * 4 * 3 * 9, -7.0F);
  std::vector<float> log_sum_exp = std::vector<float>(2 * 4 * 3, -7.0F);
  AlignedMemory arena{1 << 16, 0xA5};
  AlignedMemory cache_memory{1 << 16, 0x5A};
  KvCache cache;
  Call call;
  Witness witness;
};

}  // namespace heed::test
