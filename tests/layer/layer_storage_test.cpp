// SPDX-License-Identifier: MIT
//
// What a layer's cache needs and a program has not named is refused, and nothing is written.
#include <gtest/gtest.h>

#include <functional>

#include "layer/layer_case.hpp"

namespace heed::test {
namespace {

constexpr MultiHeadConfig plain{.model_dim = 8, .heads = 2, .max_keys = 16, .max_sequences = 2};

std::vector<std::byte> copied(const AlignedMemory& memory) {
  return {memory.span().begin(), memory.span().end()};
}

struct NeedCase {
  const char* what;
  std::function<void(MultiHeadConfig&)> set;  ///< makes a plan that needs something
  std::function<void(KvStorage&)> forget;     ///< and a storage that does not name it
};

const NeedCase needs[] = {
    {"keys", [](MultiHeadConfig& c) { c.key_type = DataType::int8; }, [](KvStorage& s) { s.formats[0] = nullptr; }},
    {"keys of another type", [](MultiHeadConfig& c) { c.key_type = DataType::int8; },
     [](KvStorage& s) { s.formats[0] = &int8_channel_keys; }},
    {"keys, but of weights", [](MultiHeadConfig& c) { c.key_type = DataType::float16; },
     [](KvStorage& s) { s.formats[0] = &float16_weights; }},
    {"keys with scales of channels", [](MultiHeadConfig& c) { c.key_type = DataType::int8_channels; },
     [](KvStorage& s) { s.formats[0] = &int8_cache; }},
    {"values", [](MultiHeadConfig& c) { c.value_type = DataType::int4; }, [](KvStorage& s) { s.formats[1] = nullptr; }},
    {"values of another type than the keys",
     [](MultiHeadConfig& c) {
       c.key_type = DataType::bfloat16;
       c.value_type = DataType::float16;
     },
     [](KvStorage& s) { s.formats[1] = nullptr; }},
    {"a ring", [](MultiHeadConfig& c) { c.ring = true; }, [](KvStorage& s) { s.ring = nullptr; }},
    {"pages", [](MultiHeadConfig& c) { c.max_pages = 2; }, [](KvStorage& s) { s.pages = nullptr; }},
};

TEST(LayerStorage, WhatThePlanNeedsIsNamed) {
  Random random(1);
  const LayerWeights weights(random, completed(plain), true);
  for (const NeedCase& need : needs) {
    MultiHeadConfig config = plain;
    need.set(config);
    const Layer good(config, weights.view());
    KvStorage storage = storage_of(config);
    need.forget(storage);
    const std::vector<std::byte> before = copied(good.arena);
    MultiHeadAttention layer;
    EXPECT_EQ(layer.init(good.plan, good.arena.span(), good.packed.span(), storage), Status::missing_format)
        << need.what;
    EXPECT_EQ(layer.bind(good.plan, good.arena.span(), good.packed.span(), storage), Status::missing_format)
        << need.what;
    EXPECT_EQ(copied(good.arena), before) << need.what;
    float x[8] = {};
    EXPECT_EQ(layer.decode(x, x), Status::not_initialised) << need.what;
    EXPECT_EQ(layer.bind(good.plan, good.arena.span(), good.packed.span(), storage_of(config)), Status::ok)
        << need.what;
  }
}

struct OrderCase {
  const char* what;
  bool attends;  ///< over what is there, else prefill()
  Causal causal;
  std::function<void(AttentionOptions&)> set;
};

const float slopes[] = {0.5F, 0.25F};
const float relative[] = {1.0F, 2.0F, 3.0F, 4.0F};
const std::uint32_t lengths[] = {1};

const OrderCase orders[] = {
    {"a window to the left", false, Causal::none, [](AttentionOptions& o) { o.left_window = 3; }},
    {"a window to the right", true, Causal::none, [](AttentionOptions& o) { o.right_window = 3; }},
    {"ALiBi", false, Causal::none, [](AttentionOptions& o) { o.alibi_slopes = slopes; }},
    {"a relative bias", false, Causal::none,
     [](AttentionOptions& o) {
       o.relative_bias = {relative, 0, 3, 0};
     }},
    {"query lengths", true, Causal::none, [](AttentionOptions& o) { o.query_lengths = lengths; }},
    {"several causal queries", true, Causal::bottom_right, [](AttentionOptions&) {}},
};

/// A ring that only decodes refuses what depends on the order of its slots; one with positions does it.
TEST(LayerStorage, ARingThatOnlyDecodesRefusesWhatDependsOnPositions) {
  Random random(2);
  MultiHeadConfig config = plain;
  config.ring = true;
  const LayerWeights weights(random, completed(config), true);
  const std::vector<float> x = random.normals(std::size_t{5} * 8);
  for (const OrderCase& order : orders) {
    for (const bool with_positions : {false, true}) {
      Layer layer(config, weights.view(), with_positions ? kv_ring_with_positions : kv_ring);
      ASSERT_EQ(layer.layer.append(1, nullptr, 5, dense(x.data(), 5, 8)), Status::ok);
      const std::vector<std::byte> before = copied(layer.arena);
      MultiHeadOptions options;
      order.set(options.attention);
      std::vector<float> y(16, -7.0F);
      MultiHeadInputs in;
      in.tokens = 2;
      in.input = dense(x.data(), 2, 8);
      in.causal = order.causal;
      const MultiHeadOutputs out{.output = dense(y.data(), 2, 8)};
      const Status status =
          order.attends ? layer.layer.attend(in, options, out) : layer.layer.prefill(in, options, out);
      if (with_positions) {
        EXPECT_EQ(status, Status::ok) << order.what;
        continue;
      }
      EXPECT_EQ(status, Status::missing_format) << order.what;
      EXPECT_EQ(y, std::vector<float>(16, -7.0F)) << order.what;
      EXPECT_EQ(copied(layer.arena), before) << order.what;
      EXPECT_EQ(layer.layer.cache().tokens(0), 5U);
    }
  }
}

}  // namespace
}  // namespace heed::test
