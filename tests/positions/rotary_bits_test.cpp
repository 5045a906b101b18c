// SPDX-License-Identifier: MIT
//
// Rotary positions have the same bits on every port, whichever way their cosines came and wherever the keys lie.
#include <gtest/gtest.h>

#include "support/cases.hpp"
#include "support/hash.hpp"

namespace heed::test {
namespace {

// The golden values of the arithmetic. They change only when the meaning of a result changes.
constexpr std::uint64_t golden_tables = 0xDD19CD8B4AC77B95U;
constexpr std::uint64_t golden_rotated = 0x709C116201B53BB7U;

RotaryConfig config_number(std::uint32_t number) {
  RotaryConfig c;
  Random random(3000 + number);
  c.head_dim = 2 * random.between(1, 50);
  c.rotary_dim = number % 3 == 0 ? 0 : 2 * random.between(1, c.head_dim / 2);
  c.base = static_cast<float>(random.between(2, 1000000));
  c.layout = static_cast<RotaryLayout>(number % 2);
  c.scaling = static_cast<RotaryScaling>(number % 5);
  c.scaling_factor = 1.0F + static_cast<float>(random.between(0, 400)) / 16.0F;
  c.original_max_position = random.between(200, 10000);
  c.max_position = 70;
  return c;
}

struct Table {
  explicit Table(const RotaryConfig& config) {
    EXPECT_EQ(make_plan(config, rotary.plan), Status::ok);
    memory = std::make_unique<AlignedMemory>(rotary.plan.bytes);
    EXPECT_EQ(make_rotary_table(rotary.plan, memory->span(), rotary), Status::ok);
  }
  [[nodiscard]] std::span<const float> values() const {
    return {rotary.table, std::size_t{rotary.plan.config.max_position} * rotary.plan.config.rotary_dim};
  }

  Rotary rotary;
  std::unique_ptr<AlignedMemory> memory;
};

TEST(RotaryBits, GoldenHashOfTables) {
  Hash hash;
  for (std::uint32_t number = 0; number < 60; ++number) hash.add(Table(config_number(number)).values());
  EXPECT_EQ(hash.value(), golden_tables) << std::hex << hash.value();
}

TEST(RotaryBits, GoldenHashOfRotatedTensors) {
  Hash hash;
  for (std::uint32_t number = 0; number < 60; ++number) {
    Rotary rotary;
    ASSERT_EQ(make_plan(config_number(number), rotary.plan), Status::ok);
    const std::uint32_t dim = rotary.plan.config.head_dim;
    Random random(number);
    std::vector<float> x = random.normals(std::size_t{2} * 3 * 4 * dim);
    const std::uint32_t first[] = {random.between(0, 1U << 20), random.between(0, UINT32_MAX - 4)};
    const MutableTensor view = bhsd(x.data(), 3, 4, dim);
    ASSERT_EQ(apply_rotary(rotary, {.batch = 2, .heads = 3, .tokens = 4, .first_positions = first}, view, view),
              Status::ok);
    hash.add(x);
  }
  EXPECT_EQ(hash.value(), golden_rotated) << std::hex << hash.value();
}

constexpr RotaryConfig plain{.head_dim = 24, .max_position = 40};
constexpr RotaryConfig yarn{.head_dim = 32,
                            .rotary_dim = 20,
                            .layout = RotaryLayout::interleaved,
                            .scaling = RotaryScaling::yarn,
                            .scaling_factor = 6.5F,
                            .original_max_position = 640,
                            .max_position = 33};
constexpr RotaryConfig llama{.head_dim = 16,
                             .base = 500000.0F,
                             .scaling = RotaryScaling::llama3,
                             .scaling_factor = 8.0F,
                             .original_max_position = 8192,
                             .max_position = 21};
constexpr RotaryTable<40, 24> plain_table = rotary_table<40, 24>(plain);
constexpr RotaryTable<33, 20> yarn_table = rotary_table<33, 20>(yarn);
constexpr RotaryTable<21, 16> llama_table = rotary_table<21, 16>(llama);
static_assert(plan(yarn).bytes == 33 * 20 * 4 + 48 && plan(yarn).config.rotary_dim == 20);

void expect_three_equal_ways(const RotaryConfig& config, std::span<const float> in_flash) {
  const Table at_start(config);
  ASSERT_EQ(at_start.values().size(), in_flash.size());
  EXPECT_EQ(std::memcmp(at_start.values().data(), in_flash.data(), in_flash.size_bytes()), 0);

  const RotaryConfig& c = at_start.rotary.plan.config;
  Random random(5);
  const std::vector<float> x = random.normals(std::size_t{c.max_position} * c.head_dim);
  std::vector<float> results[3];
  const Rotary ways[] = {{at_start.rotary.plan}, at_start.rotary, {at_start.rotary.plan, in_flash.data()}};
  for (std::size_t way = 0; way < 3; ++way) {
    results[way].assign(x.size(), -7.0F);
    ASSERT_EQ(apply_rotary(ways[way], {.tokens = c.max_position}, bhsd(x.data(), 1, c.max_position, c.head_dim),
                           bhsd(results[way].data(), 1, c.max_position, c.head_dim)),
              Status::ok);
  }
  EXPECT_TRUE(same_bits(results[0], results[1]));
  EXPECT_TRUE(same_bits(results[0], results[2]));
}

TEST(RotaryBits, TablesInFlashTablesAtStartAndNoTableAgree) {
  expect_three_equal_ways(plain, plain_table.values);
  expect_three_equal_ways(yarn, yarn_table.values);
  expect_three_equal_ways(llama, llama_table.values);
}

TEST(RotaryBits, InPlaceAndElsewhereInAnyLayoutAgree) {
  for (std::uint32_t number = 0; number < 30; ++number) {
    const Table table(config_number(number));
    const std::uint32_t dim = table.rotary.plan.config.head_dim;
    Random random(number);
    const std::vector<float> x = random.normals(std::size_t{2} * 3 * 5 * dim);
    const std::uint32_t positions[] = {3, 9, 0, 69, 69, 1, 2, 3, 4, 5};
    const RotaryPositions tokens{2, 3, 5, positions};
    std::vector<float> elsewhere(x.size());
    const ConstTensor from = bhsd(x.data(), 3, 5, dim);
    ASSERT_EQ(apply_rotary(table.rotary, tokens, from, bhsd(elsewhere.data(), 3, 5, dim)), Status::ok);
    std::vector<float> in_place = swap_heads_and_rows(x, 2, 3, 5, dim);
    const MutableTensor rows = bshd(in_place.data(), 3, 5, dim);
    ASSERT_EQ(apply_rotary({table.rotary.plan}, tokens, rows, rows), Status::ok);
    EXPECT_TRUE(same_bits(swap_heads_and_rows(in_place, 2, 5, 3, dim), elsewhere)) << number;
  }
}

TEST(RotaryBits, AppendedAndRotatedIsRotatedAndAppended) {
  for (std::uint32_t number = 0; number < 30; ++number) {
    const Table table(config_number(number));
    const std::uint32_t dim = table.rotary.plan.config.head_dim;
    KvCachePlan plan;
    ASSERT_EQ(make_plan(KvCacheConfig{2, 3, dim, 7, 60}, plan), Status::ok);
    const AlignedMemory memories[] = {AlignedMemory(plan.bytes, 0), AlignedMemory(plan.bytes, 0)};
    KvCache fused, parted;
    ASSERT_EQ(fused.init(plan, memories[0].span()), Status::ok);
    ASSERT_EQ(parted.init(plan, memories[1].span()), Status::ok);
    Random random(number);
    const std::uint32_t own[] = {8, 2, 2, 69, 30};
    for (const std::uint32_t tokens : {1U, 20U, 5U}) {
      const std::uint32_t* const positions = tokens == 5 ? own : nullptr;
      const std::vector<float> key = random.normals(std::size_t{3} * tokens * dim);
      const std::vector<float> value = random.normals(std::size_t{3} * tokens * 7);
      const ConstTensor value_view = bhsd(value.data(), 3, tokens, 7);
      const ConstTensor key_view = bhsd(key.data(), 3, tokens, dim);
      const std::uint32_t first = parted.length(1);
      ASSERT_EQ(append_rotated(fused, 1, tokens, key_view, value_view, table.rotary, positions), Status::ok);
      std::vector<float> rotated(key.size());
      const MutableTensor rotated_view = bhsd(rotated.data(), 3, tokens, dim);
      ASSERT_EQ(apply_rotary({table.rotary.plan}, {1, 3, tokens, positions, &first}, key_view, rotated_view),
                Status::ok);
      ASSERT_EQ(parted.append(1, tokens, rotated_view, value_view), Status::ok);
    }
    EXPECT_EQ(std::memcmp(memories[0].span().data(), memories[1].span().data(), plan.bytes), 0) << number;
    EXPECT_EQ(fused.length(1), 26U);
  }
}

}  // namespace
}  // namespace heed::test
