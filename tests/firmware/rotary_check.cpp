// SPDX-License-Identifier: MIT
#include <cstddef>
#include <span>

#include "checks.hpp"
#include "data.hpp"
#include "heed/heed.hpp"

namespace heed::test {
namespace {

constexpr std::uint32_t heads = 2;
constexpr std::uint32_t tokens = 5;
constexpr std::uint32_t cases = 40;

struct Case {
  Rotary computed{};
  Rotary from_table{};
  std::uint32_t first = 0;
  std::span<float> x, rotated, again;
};

bool make_case(std::uint32_t number, Case& c) {
  Numbers random(9000 + number);
  RotaryConfig config;
  config.head_dim = 2 * random.between(1, 40);
  config.rotary_dim = 2 * random.between(1, config.head_dim / 2);
  config.base = static_cast<float>(random.between(2, 50000));
  config.layout = static_cast<RotaryLayout>(number % 2);
  config.scaling = static_cast<RotaryScaling>(number % 5);
  config.scaling_factor = 1.0F + static_cast<float>(random.between(0, 255)) / 16.0F;
  config.original_max_position = random.between(200, 8000);
  config.max_position = 64;
  if (make_plan(config, c.computed.plan) != Status::ok) return false;
  if (make_rotary_table(c.computed.plan, first_memory, c.from_table) != Status::ok) return false;
  Pool<float> pool(numbers);
  const std::size_t count = std::size_t{heads} * tokens * config.head_dim;
  c.x = pool.take(count);
  c.rotated = pool.take(count);
  c.again = pool.take(count);
  c.first = random.between(0, config.max_position - tokens);
  random.fill(c.x, 1.0F);
  return !c.again.empty();
}

/// Computed and from a table; and in a cache, whose lanes are read back.
bool run(const Case& c) {
  const std::uint32_t dim = c.computed.plan.config.head_dim;
  const RotaryPositions where{.heads = heads, .tokens = tokens, .first_positions = &c.first};
  const ConstTensor from = bhsd<const float>(c.x.data(), heads, tokens, dim);
  if (apply_rotary(c.computed, where, from, bhsd(c.rotated.data(), heads, tokens, dim)) != Status::ok) return false;
  if (apply_rotary(c.from_table, where, from, bhsd(c.again.data(), heads, tokens, dim)) != Status::ok) return false;
  Hash hashes[3];
  hashes[0].add(c.rotated);
  hashes[1].add(c.again);

  KvCachePlan plan;
  KvCache cache;
  if (make_plan(KvCacheConfig{1, heads, dim, dim, tokens}, plan) != Status::ok) return false;
  if (cache.init(plan, second_memory) != Status::ok) return false;
  std::uint32_t positions[tokens];
  for (std::uint32_t t = 0; t < tokens; ++t) positions[t] = c.first + t;
  if (append_rotated(cache, 0, tokens, from, from, c.from_table, positions) != Status::ok) return false;
  const auto* const lanes = reinterpret_cast<const float*>(cache.memory() + plan.keys.offset);
  for (std::uint32_t head = 0; head < heads; ++head) {
    for (std::uint32_t t = 0; t < tokens; ++t) {
      for (std::uint32_t d = 0; d < dim; ++d) hashes[2].add(lanes[(head * dim + d) * panel_width + t]);
    }
  }
  return hashes[1].value() == hashes[0].value() && hashes[2].value() == hashes[0].value();
}

}  // namespace

Outcome check_rotary() {
  Outcome outcome;
  Hash all;
  for (std::uint32_t number = 0; number < cases; ++number) {
    Case c;
    if (!make_case(number, c) || !run(c)) {
      ++outcome.failures;
      continue;
    }
    all.add(c.rotated);
    // Positions as far as they go, where only the phase's own bits are left.
    c.first = UINT32_MAX - tokens - number;
    const RotaryPositions where{.heads = heads, .tokens = tokens, .first_positions = &c.first};
    const MutableTensor view = bhsd(c.x.data(), heads, tokens, c.computed.plan.config.head_dim);
    if (apply_rotary(c.computed, where, view, view) != Status::ok) ++outcome.failures;
    all.add(c.x);
    ++outcome.cases;
  }
  outcome.hash = all.value();
  return outcome;
}

}  // namespace heed::test
