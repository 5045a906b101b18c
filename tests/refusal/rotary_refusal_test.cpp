// SPDX-License-Identifier: MIT
//
// Everything that rotary positions refuse, and that a refusal changes no byte.
#include <gtest/gtest.h>

#include "refusal/refusals.hpp"
#include "support/built_cache.hpp"

namespace heed::test {
namespace {

constexpr Refusal<RotaryConfig> bad_configs[] = {
    {"no head_dim", Status::zero_dimension, [](RotaryConfig& c) { c.head_dim = c.rotary_dim = 0; }},
    {"head_dim 65537", Status::too_large, [](RotaryConfig& c) { c.head_dim = 65537; }},
    {"odd dims", Status::bad_rotary, [](RotaryConfig& c) { c.rotary_dim = 7; }},
    {"odd head_dim and all of it", Status::bad_rotary,
     [](RotaryConfig& c) {
       c.head_dim = 33;
       c.rotary_dim = 0;
     }},
    {"dims above head_dim", Status::bad_rotary, [](RotaryConfig& c) { c.rotary_dim = 34; }},
    {"layout 2", Status::bad_option, [](RotaryConfig& c) { c.layout = RotaryLayout{2}; }},
    {"scaling 5", Status::bad_option, [](RotaryConfig& c) { c.scaling = RotaryScaling{5}; }},
    {"base 1", Status::bad_base, [](RotaryConfig& c) { c.base = 1.0F; }},
    {"base NaN", Status::bad_base, [](RotaryConfig& c) { c.base = nan; }},
    {"base infinite", Status::bad_base, [](RotaryConfig& c) { c.base = infinity; }},
    {"negative base", Status::bad_base, [](RotaryConfig& c) { c.base = -10000.0F; }},
    {"factor below 1", Status::bad_rotary, [](RotaryConfig& c) { c.scaling_factor = 0.99F; }},
    {"factor 2^32", Status::bad_rotary, [](RotaryConfig& c) { c.scaling_factor = 0x1p32F; }},
    {"factor NaN", Status::bad_rotary, [](RotaryConfig& c) { c.scaling_factor = nan; }},
    {"no original context", Status::zero_dimension, [](RotaryConfig& c) { c.original_max_position = 0; }},
    {"original context 2^30 + 1", Status::too_large, [](RotaryConfig& c) { c.original_max_position = (1U << 30) + 1; }},
    {"beta_slow below 0", Status::bad_rotary, [](RotaryConfig& c) { c.beta_slow = -1.0F; }},
    {"beta_fast below beta_slow", Status::bad_rotary, [](RotaryConfig& c) { c.beta_fast = 0.5F; }},
    {"beta_fast infinite", Status::bad_rotary, [](RotaryConfig& c) { c.beta_fast = infinity; }},
    {"no pair that rotates once", Status::bad_rotary, [](RotaryConfig& c) { c.original_max_position = 6; }},
    {"equal factors of llama3", Status::bad_rotary,
     [](RotaryConfig& c) {
       c.scaling = RotaryScaling::llama3;
       c.high_freq_factor = c.low_freq_factor = 2.0F;
     }},
    {"negative attention factor", Status::bad_rotary, [](RotaryConfig& c) { c.attention_factor = -1.0F; }},
    {"attention factor NaN", Status::bad_rotary, [](RotaryConfig& c) { c.attention_factor = nan; }},
    {"attention factor infinite", Status::bad_rotary, [](RotaryConfig& c) { c.attention_factor = infinity; }},
    {"2^30 + 1 positions", Status::too_large, [](RotaryConfig& c) { c.max_position = (1U << 30) + 1; }},
    {"a table of 4 GiB", Status::too_large, [](RotaryConfig& c) { c.max_position = 1U << 25; }},
};

RotaryConfig good_config() {
  return {.head_dim = 33,
          .rotary_dim = 32,
          .scaling = RotaryScaling::yarn,
          .scaling_factor = 2.0F,
          .original_max_position = 512,
          .max_position = 20};
}

TEST(RefusedRotary, PlansAreLeft) {
  RotaryPlan plan;
  ASSERT_EQ(make_plan(good_config(), plan), Status::ok);
  Witness witness;
  witness.watch_object("plan", plan);
  for (const Refusal<RotaryConfig>& refusal : bad_configs) {
    RotaryConfig spoilt = good_config();
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what, [&] { return make_plan(spoilt, plan); });
  }
}

TEST(RefusedRotary, TablesAreLeft) {
  RotaryPlan plan;
  ASSERT_EQ(make_plan(good_config(), plan), Status::ok);
  RotaryConfig no_table = good_config();
  no_table.max_position = 0;
  RotaryPlan without;
  ASSERT_EQ(make_plan(no_table, without), Status::ok);
  const AlignedMemory memory(plan.bytes + 64, 0xA5);
  Rotary rotary{plan};
  Witness witness;
  witness.watch("memory", memory.span());
  witness.watch_object("rotary", rotary);
  const auto good = memory.span().first(plan.bytes);
  witness.expect(Status::not_initialised, "no plan", [&] { return make_rotary_table({}, good, rotary); });
  witness.expect(Status::zero_dimension, "no positions", [&] { return make_rotary_table(without, good, rotary); });
  witness.expect(Status::null_pointer, "no memory", [&] { return make_rotary_table(plan, {}, rotary); });
  witness.expect(Status::arena_too_small, "a byte less",
                 [&] { return make_rotary_table(plan, good.first(plan.bytes - 1), rotary); });
  witness.expect(Status::arena_misaligned, "4 bytes on", [&] {
    return make_rotary_table(plan, {good.data() + 4, plan.bytes}, rotary);
  });
  EXPECT_EQ(make_rotary_table(plan, good, rotary), Status::ok);
  EXPECT_EQ(static_cast<const void*>(rotary.table), good.data());
  for (const std::byte byte : memory.span().subspan(plan.bytes)) EXPECT_EQ(byte, std::byte{0xA5});
}

constexpr std::uint32_t good_positions[] = {0, 1, 2, 17, 18, 19};
constexpr std::uint32_t bad_positions[] = {0, 1, 2, 17, 20, 18};
constexpr std::uint32_t late_positions[] = {17, 18};
constexpr std::uint32_t last_positions[] = {0, UINT32_MAX - 1};

struct Rotation {
  Rotary rotary{};
  RotaryPositions tokens{.batch = 2, .heads = 2, .tokens = 3, .positions = good_positions};
  ConstTensor from{};
  MutableTensor to{};
};

constexpr Refusal<Rotation> bad_rotations[] = {
    {"no plan", Status::not_initialised, [](Rotation& r) { r.rotary = {}; }},
    {"2^30 + 1 tokens", Status::too_large, [](Rotation& r) { r.tokens.tokens = (1U << 30) + 1; }},
    {"65537 heads", Status::too_large, [](Rotation& r) { r.tokens.heads = 65537; }},
    {"2^30 + 1 batch entries", Status::too_large, [](Rotation& r) { r.tokens.batch = (1U << 30) + 1; }},
    {"no input", Status::null_pointer, [](Rotation& r) { r.from.data = nullptr; }},
    {"no output", Status::null_pointer, [](Rotation& r) { r.to.data = nullptr; }},
    {"output rows on each other", Status::bad_stride, [](Rotation& r) { r.to.row_stride = 32; }},
    {"output heads on each other", Status::bad_stride, [](Rotation& r) { r.to.head_stride = 0; }},
    {"input rows overflow", Status::bad_stride, [](Rotation& r) { r.from.row_stride = far; }},
    {"output batch overflows", Status::bad_stride, [](Rotation& r) { r.to.batch_stride = -far; }},
    {"a position beyond the table", Status::bad_position, [](Rotation& r) { r.tokens.positions = bad_positions; }},
    {"counting goes beyond the table", Status::bad_position,
     [](Rotation& r) {
       r.tokens.positions = nullptr;
       r.tokens.first_positions = late_positions;
     }},
    {"counting goes beyond 2^32 - 1", Status::too_large,
     [](Rotation& r) {
       r.rotary.table = nullptr;
       r.tokens.positions = nullptr;
       r.tokens.first_positions = last_positions;
     }},
};

TEST(RefusedRotary, TensorsAreLeft) {
  Rotation good;
  ASSERT_EQ(make_plan(good_config(), good.rotary.plan), Status::ok);
  const AlignedMemory table(good.rotary.plan.bytes);
  ASSERT_EQ(make_rotary_table(good.rotary.plan, table.span(), good.rotary), Status::ok);
  const std::vector<float> from(2 * 2 * 3 * 33, 0.5F);
  std::vector<float> to(from.size(), -7.0F);
  good.from = bhsd(from.data(), 2, 3, 33);
  good.to = bhsd(to.data(), 2, 3, 33);
  Witness witness;
  witness.watch("input", from);
  witness.watch("output", to);
  for (const Refusal<Rotation>& refusal : bad_rotations) {
    Rotation spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what,
                   [&] { return apply_rotary(spoilt.rotary, spoilt.tokens, spoilt.from, spoilt.to); });
  }
  EXPECT_EQ(apply_rotary(good.rotary, good.tokens, good.from, good.to), Status::ok);
}

struct Append {
  Rotary rotary{};
  std::uint32_t sequence = 1;
  std::uint32_t tokens = 3;
  ConstTensor key{};
  ConstTensor value{};
  const std::uint32_t* positions = nullptr;
};

constexpr Refusal<Append> bad_appends[] = {
    {"no plan", Status::not_initialised, [](Append& a) { a.rotary = {}; }},
    {"another head_dim", Status::plan_mismatch, [](Append& a) { a.rotary.plan.config.head_dim = 34; }},
    {"sequence 2 of 2", Status::bad_sequence, [](Append& a) { a.sequence = 2; }},
    {"too many tokens", Status::cache_full, [](Append& a) { a.tokens = 21; }},
    {"2^32 - 1 tokens", Status::cache_full, [](Append& a) { a.tokens = UINT32_MAX; }},
    {"counting goes beyond the table", Status::bad_position, [](Append& a) { a.tokens = 11; }},
    {"a position beyond the table", Status::bad_position, [](Append& a) { a.positions = bad_positions + 3; }},
    {"no key", Status::null_pointer, [](Append& a) { a.key.data = nullptr; }},
    {"no value", Status::null_pointer, [](Append& a) { a.value.data = nullptr; }},
    {"key rows overflow", Status::bad_stride, [](Append& a) { a.key.row_stride = far; }},
};

void expect_left(const KvCacheConfig& config) {
  BuiltCache built(config);
  KvCache& cache = built.cache;
  Append good;
  ASSERT_EQ(make_plan(good_config(), good.rotary.plan), Status::ok);
  const AlignedMemory table(good.rotary.plan.bytes);
  ASSERT_EQ(make_rotary_table(good.rotary.plan, table.span(), good.rotary), Status::ok);
  const std::vector<float> key(2 * 20 * 33, 0.5F);
  const std::vector<float> value(2 * 20 * 4, 0.25F);
  good.key = bhsd(key.data(), 2, 20, 33);
  good.value = bhsd(value.data(), 2, 20, 4);
  const auto append_to = [](KvCache& to, const Append& a) {
    return append_rotated(to, a.sequence, a.tokens, a.key, a.value, a.rotary, a.positions);
  };
  const auto append = [&](const Append& a) { return append_to(cache, a); };
  KvCache none;
  EXPECT_EQ(append_to(none, good), Status::not_initialised);
  if (config.key_type == DataType::int8_channels) {
    ASSERT_EQ(cache.set_key_scales(std::vector<float>(2 * 33, 0.01F)), Status::ok);
  }
  ASSERT_EQ(cache.append(1, 10, good.key, good.value), Status::ok);
  Witness witness;
  witness.watch("memory", built.memory.span());
  witness.watch_object("cache", cache);
  for (const Refusal<Append>& refusal : bad_appends) {
    Append spoilt = good;
    refusal.spoil(spoilt);
    witness.expect(refusal.expected, refusal.what, [&] { return append(spoilt); });
  }
  EXPECT_EQ(append_rotated(cache, 1, 0, {}, {}, good.rotary), Status::ok);
  good.tokens = 10;
  EXPECT_EQ(append(good), Status::ok);
  EXPECT_EQ(cache.length(1), 20U);
}

TEST(RefusedRotary, CachesAreLeft) {
  for (const DataType key :
       {DataType::float32, DataType::float16, DataType::int8, DataType::int4, DataType::int8_channels}) {
    expect_left({.max_sequences = 2, .kv_heads = 2, .head_dim = 33, .value_dim = 4, .max_keys = 30, .key_type = key});
  }
}

/// Sizes that are allowed come as far as the input that is missing.
TEST(RefusedRotary, EverySizeHasItsLimit) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
  for (std::uint32_t at = 0; at < 3; ++at) {
    const auto status = [&](std::uint32_t size) {
      RotaryPositions tokens{.batch = 1, .heads = 1, .tokens = 1};
      (at == 0 ? tokens.batch : at == 1 ? tokens.heads : tokens.tokens) = size;
      float to[4];
      return apply_rotary(rotary, tokens, {}, {to, 0, 0, 0});
    };
    const std::uint32_t most = at == 1 ? max_dimension : max_rows;
    EXPECT_EQ(status(1), Status::null_pointer) << at;
    EXPECT_EQ(status(most), Status::null_pointer) << at;
    EXPECT_EQ(status(most + 1), Status::too_large) << at;
  }
}

TEST(RefusedRotary, CountingEndsAtTheLastPosition) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
  const std::vector<float> from(12, 0.5F);
  std::vector<float> counted(12), given(12);
  const std::uint32_t first = UINT32_MAX - 2;
  const std::uint32_t positions[] = {UINT32_MAX - 2, UINT32_MAX - 1, UINT32_MAX};
  const ConstTensor rows = bhsd(from.data(), 1, 3, 4);
  EXPECT_EQ(apply_rotary(rotary, {.tokens = 3, .first_positions = &first}, rows, bhsd(counted.data(), 1, 3, 4)),
            Status::ok);
  EXPECT_EQ(apply_rotary(rotary, {.tokens = 3, .positions = positions}, rows, bhsd(given.data(), 1, 3, 4)), Status::ok);
  EXPECT_TRUE(same_bits(counted, given));
}

TEST(RefusedRotary, ACacheIsFilledToItsLastToken) {
  Rotary rotary;
  ASSERT_EQ(make_plan(RotaryConfig{.head_dim = 4}, rotary.plan), Status::ok);
  BuiltCache built({.head_dim = 4, .max_keys = 5});
  KvCache& cache = built.cache;
  const std::vector<float> rows(24, 0.5F);
  const ConstTensor view = bhsd(rows.data(), 1, 6, 4);
  EXPECT_EQ(append_rotated(cache, 0, 6, view, view, rotary), Status::cache_full);
  EXPECT_EQ(append_rotated(cache, 0, 5, view, view, rotary), Status::ok);
  EXPECT_EQ(append_rotated(cache, 0, 1, view, view, rotary), Status::cache_full);
  EXPECT_EQ(cache.length(0), 5U);
}

}  // namespace
}  // namespace heed::test
