// SPDX-License-Identifier: MIT
//
// The runtime without NDEBUG stops where a plan is not what make_plan() made.
#include <array>

#include "support/cases.hpp"

namespace heed::test {
namespace {

/// `size` is a number of the configuration that the plan's sizes depend on.
template <class Plan, class Config, class Call>
void expect_trap(const Config& config, std::uint32_t Config::*size, const Call& call) {
  Plan plan;
  ASSERT_EQ(make_plan(config, plan), Status::ok);
  const AlignedMemory memory(1 << 20);
  EXPECT_EQ(call(plan, memory.span()), Status::ok);
  ++(plan.config.*size);
  EXPECT_DEATH(static_cast<void>(call(plan, memory.span())), "");
  --(plan.config.*size);
  plan.bytes -= 64;
  EXPECT_DEATH(static_cast<void>(call(plan, memory.span())), "");
  plan.bytes += 64;
  EXPECT_EQ(call(plan, memory.span()), Status::ok);
}

TEST(ChangedPlan, TrapsInADebugBuild) {
  expect_trap<AttentionPlan>(AttentionConfig{.head_dim = 16}, &AttentionConfig::head_dim,
                             [](const AttentionPlan& plan, auto memory) {
                               std::array<float, 17> row{}, result{};
                               AttentionInputs inputs;
                               inputs.query_count = inputs.key_count = 1;
                               inputs.query = inputs.key = inputs.value = {row.data(), 0, 0, 0};
                               AttentionOutputs outputs;
                               outputs.output = {result.data(), 0, 0, 0};
                               return attend(plan, memory, inputs, outputs);
                             });
  expect_trap<FloatKvCachePlan>(FloatKvCacheConfig{.head_dim = 16, .max_keys = 20}, &FloatKvCacheConfig::head_dim,
                                [](const FloatKvCachePlan& plan, auto memory) {
                                  FloatKvCache cache;
                                  return cache.init(plan, memory);
                                });
  expect_trap<KvCachePlan>(KvCacheConfig{.head_dim = 16, .max_keys = 20, .value_type = DataType::int4},
                           &KvCacheConfig::head_dim, [](const KvCachePlan& plan, auto memory) {
                             KvCache cache;
                             return cache.init(plan, memory);
                           });
  expect_trap<MultiHeadPlan>(MultiHeadConfig{.model_dim = 16, .max_keys = 20}, &MultiHeadConfig::model_dim,
                             [](const MultiHeadPlan& plan, auto memory) {
                               const std::vector<float> weight(17 * 17);
                               const float* w = weight.data();
                               return pack_weights(plan, {w, w, w, w, nullptr, nullptr, nullptr, nullptr}, memory);
                             });
  expect_trap<KvMultiHeadPlan>(KvMultiHeadConfig{.model_dim = 16, .max_keys = 20}, &KvMultiHeadConfig::model_dim,
                               [](const KvMultiHeadPlan& plan, auto memory) {
                                 const std::vector<float> weight(17 * 17);
                                 const float* w = weight.data();
                                 return pack_weights(plan, {w, w, w, w, nullptr, nullptr, nullptr, nullptr}, memory);
                               });
  expect_trap<RotaryPlan>(RotaryConfig{.head_dim = 16, .rotary_dim = 16, .max_position = 20},
                          &RotaryConfig::max_position, [](const RotaryPlan& plan, auto memory) {
                            Rotary rotary;
                            return make_rotary_table(plan, memory, rotary);
                          });
}

}  // namespace
}  // namespace heed::test
