// SPDX-License-Identifier: MIT
//
// A cache in memory of its own.
#pragma once

#include "support/cases.hpp"
#include "support/storage.hpp"

namespace heed::test {

struct BuiltCache {
  KvCachePlan plan;
  KvStorage storage;
  AlignedMemory memory;  ///< the plan's, and 64 bytes more that must never change
  KvCache cache;

  explicit BuiltCache(const KvCacheConfig& config) : BuiltCache(config, storage_of(config)) {}

  BuiltCache(const KvCacheConfig& config, const KvStorage& named)
      : plan(plan_for(config)), storage(named), memory(plan.bytes + 64, 0xA5) {
    EXPECT_EQ(cache.init(plan, used(), storage), Status::ok);
  }

  static KvCachePlan plan_for(const KvCacheConfig& config) {
    KvCachePlan plan;
    EXPECT_EQ(make_plan(config, plan), Status::ok);
    return plan;
  }

  [[nodiscard]] std::span<std::byte> used() const { return memory.span().first(plan.bytes); }

  [[nodiscard]] bool nothing_behind() const {
    for (const std::byte b : memory.span().subspan(plan.bytes)) {
      if (b != std::byte{0xA5}) return false;
    }
    return true;
  }
};

}  // namespace heed::test
