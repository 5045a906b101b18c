// SPDX-License-Identifier: MIT
//
// Everything that pack_weights() and a layer's init() and bind() refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "layer/layer_case.hpp"
#include "refusal/refusals.hpp"

namespace heed::test {
namespace {

constexpr MultiHeadConfig config{.model_dim = 12,
                                 .heads = 4,
                                 .kv_heads = 2,
                                 .head_dim = 5,
                                 .value_dim = 6,
                                 .kv_input_dim = 9,
                                 .output_dim = 7,
                                 .max_keys = 8,
                                 .max_sequences = 3};

struct PackCall {
  MultiHeadPlan plan;
  MultiHeadWeights weights;
  std::span<std::byte> packed;
};

constexpr Refusal<PackCall> bad_packs[] = {
    {"a plan that was never made", Status::not_initialised, [](PackCall& c) { c.plan = {}; }},
    {"no W_Q", Status::null_pointer, [](PackCall& c) { c.weights.query = nullptr; }},
    {"no W_K", Status::null_pointer, [](PackCall& c) { c.weights.key = nullptr; }},
    {"no W_V", Status::null_pointer, [](PackCall& c) { c.weights.value = nullptr; }},
    {"no W_O", Status::null_pointer, [](PackCall& c) { c.weights.output = nullptr; }},
    {"nowhere to write", Status::null_pointer, [](PackCall& c) { c.packed = {}; }},
    {"one byte too small", Status::arena_too_small,
     [](PackCall& c) { c.packed = c.packed.first(c.packed.size() - 1); }},
    {"moved by 4 bytes", Status::arena_misaligned,
     [](PackCall& c) {
       c.packed = {c.packed.data() + 4, c.packed.size()};
     }},
};

TEST(RefusedWeights, Pack) {
  Random random(5);
  const LayerWeights weights(random, completed(config), true);
  const MultiHeadPlan plan = Layer::plan_for(config);
  const AlignedMemory memory(plan.weights_bytes + 64, 0xA5);
  const PackCall good{plan, weights.view(), memory.span().first(plan.weights_bytes)};
  Witness witness;
  witness.watch("packed", memory.span());
  for (const Refusal<PackCall>& refusal : bad_packs) {
    PackCall spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what,
                   [&] { return pack_weights(spoilt.plan, spoilt.weights, spoilt.packed); });
  }
  EXPECT_EQ(pack_weights(good.plan, good.weights, good.packed), Status::ok);
  for (const std::byte byte : memory.span().last(64)) EXPECT_EQ(byte, std::byte{0xA5});
}

/// Each of the four matrices in turn is too small for float16.
TEST(RefusedWeights, PackOfWhatIsLost) {
  Random random(5);
  MultiHeadConfig rounded = config;
  rounded.weight_type = DataType::float16;
  const LayerWeights weights(random, completed(config), true);
  const MultiHeadPlan plan = Layer::plan_for(rounded);
  const AlignedMemory memory(plan.weights_bytes, 0xA5);
  const std::vector<float> little(20 * 12, 0x1p-25F);
  Witness witness;
  witness.watch("packed", memory.span());
  for (const float* MultiHeadWeights::*const matrix :
       {&MultiHeadWeights::query, &MultiHeadWeights::key, &MultiHeadWeights::value, &MultiHeadWeights::output}) {
    MultiHeadWeights spoilt = weights.view();
    spoilt.*matrix = little.data();
    witness.expect(Status::bad_scale, "a matrix", [&] { return pack_weights(plan, spoilt, memory.span()); });
  }
  EXPECT_EQ(pack_weights(plan, weights.view(), memory.span()), Status::ok);
}

struct InitCall {
  MultiHeadPlan plan;
  std::span<std::byte> arena;
  std::span<const std::byte> packed;
};

constexpr Refusal<InitCall> bad_inits[] = {
    {"a plan that was never made", Status::not_initialised, [](InitCall& c) { c.plan = {}; }},
    {"no arena", Status::null_pointer, [](InitCall& c) { c.arena = {}; }},
    {"arena one byte too small", Status::arena_too_small,
     [](InitCall& c) { c.arena = c.arena.first(c.arena.size() - 1); }},
    {"arena moved by 4 bytes", Status::arena_misaligned,
     [](InitCall& c) {
       c.arena = {c.arena.data() + 4, c.arena.size()};
     }},
    {"no weights", Status::null_pointer, [](InitCall& c) { c.packed = {}; }},
    {"weights one byte too small", Status::arena_too_small,
     [](InitCall& c) { c.packed = c.packed.first(c.packed.size() - 1); }},
    {"weights moved by 4 bytes", Status::arena_misaligned,
     [](InitCall& c) {
       c.packed = {c.packed.data() + 4, c.packed.size()};
     }},
};

class RefusedInit : public testing::Test {
 protected:
  RefusedInit() {
    EXPECT_EQ(pack_weights(plan, weights.view(), packed.span()), Status::ok);
    EXPECT_EQ(bound.layer.append(3, nullptr, 4, dense<const float>(x.data(), 4, 9)), Status::ok);
    witness.watch("arena", arena.span());
    witness.watch("arena bound before", bound.arena.span());
    witness.watch("weights", packed.span());
    witness.watch_object("unbound layer", unbound);
    witness.watch_object("bound layer", bound.layer);
  }

  void expect_refused(Status expected, const char* what, const InitCall& call) {
    for (MultiHeadAttention* layer : {&unbound, &bound.layer}) {
      witness.expect(expected, what, [&] { return layer->init(call.plan, call.arena, call.packed); });
      witness.expect(expected, what, [&] { return layer->bind(call.plan, call.arena, call.packed); });
    }
  }

  Random random{6};
  LayerWeights weights{random, completed(config), true};
  std::vector<float> x = random.normals(3 * 4 * 12);
  MultiHeadPlan plan = Layer::plan_for(config);
  AlignedMemory arena{plan.bytes + 64U, 0xA5};
  AlignedMemory packed{plan.weights_bytes + 4096U, 0};
  InitCall good{plan, arena.span().first(plan.bytes), packed.span().first(plan.weights_bytes)};
  Layer bound{config, weights.view()};
  MultiHeadAttention unbound;
  Witness witness;
};

TEST_F(RefusedInit, Memory) {
  for (const Refusal<InitCall>& refusal : bad_inits) {
    InitCall spoilt = good;
    refusal.spoil(spoilt);
    expect_refused(refusal.expected, refusal.what, spoilt);
  }
  EXPECT_EQ(unbound.init(good.plan, good.arena, good.packed), Status::ok);
  EXPECT_EQ(bound.layer.cache().length(0), 4U);
}

TEST_F(RefusedInit, WeightsOfAnotherPlan) {
  constexpr std::uint32_t MultiHeadConfig::*fields[] = {&MultiHeadConfig::model_dim, &MultiHeadConfig::heads,
                                                        &MultiHeadConfig::kv_heads,  &MultiHeadConfig::head_dim,
                                                        &MultiHeadConfig::value_dim, &MultiHeadConfig::kv_input_dim,
                                                        &MultiHeadConfig::output_dim};
  for (const auto field : fields) {
    MultiHeadConfig changed = config;
    changed.*field -= field == &MultiHeadConfig::heads ? 2 : 1;
    const LayerWeights other(random, completed(changed), false);
    const MultiHeadPlan other_plan = Layer::plan_for(changed);
    const AlignedMemory other_packed(plan.weights_bytes);
    ASSERT_EQ(pack_weights(other_plan, other.view(), other_packed.span()), Status::ok);
    expect_refused(Status::wrong_weights, "weights of another plan", {plan, good.arena, other_packed.span()});
  }
  // What the weights do not depend on may change: they serve layers of any length.
  MultiHeadConfig longer = config;
  longer.max_keys = 4;
  longer.max_sequences = 1;
  const MultiHeadPlan longer_plan = Layer::plan_for(longer);
  EXPECT_EQ(unbound.init(longer_plan, good.arena, good.packed), Status::ok);
}

TEST_F(RefusedInit, MemoryThatHoldsNoWeights) {
  for (const unsigned char fill : {0x00, 0xFF}) {
    const AlignedMemory nothing(plan.weights_bytes, fill);
    expect_refused(Status::wrong_weights, "no weights at all", {plan, good.arena, nothing.span()});
  }
}

TEST_F(RefusedInit, ALayerWithoutMemoryDoesNothing) {
  std::vector<float> y(84, -7.0F);
  witness.watch("y", y);
  MultiHeadInputs in;
  in.tokens = 1;
  in.input = {x.data(), 12, 12};
  MultiHeadOutputs out;
  out.output = {y.data(), 7, 7};
  const auto expect = [&](const char* what, const auto& method) {
    witness.expect(Status::not_initialised, what, method);
  };
  expect("append", [&] { return unbound.append(1, nullptr, 1, in.input); });
  expect("attend", [&] { return unbound.attend(in, out); });
  expect("prefill", [&] { return unbound.prefill(in, out); });
  expect("encode", [&] { return unbound.encode(in, out); });
  expect("decode", [&] { return unbound.decode(x.data(), y.data()); });
  EXPECT_FALSE(unbound.cache().initialised());
}

}  // namespace
}  // namespace heed::test
