// SPDX-License-Identifier: MIT
//
// Random cases of attend() with options.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "options/options_run.hpp"
#include "support/random.hpp"

namespace heed::test {

enum class Option : std::uint8_t {
  causal,
  key_lengths,
  offsets,
  query_lengths,
  prefix_lengths,
  window,
  bool_mask,
  mask,
  pre_softcap_bias,
  softcap,
  alibi,
  relative_bias,
  sinks,
  smooth_softmax,
};

inline constexpr std::uint32_t option_count = 14;

/// Where a mask is open, row by row: single keys by chance, or runs as a block-sparse mask has them.
inline std::vector<std::uint8_t> open_keys(Random& random, std::uint32_t keys, std::uint32_t pattern) {
  constexpr std::uint32_t percent[] = {50, 90, 10, 100, 0};
  std::vector<std::uint8_t> open(keys);
  if (pattern < 5) {
    for (std::uint8_t& key : open) key = random.between(1, 100) <= percent[pattern] ? 1 : 0;
    return open;
  }
  const std::uint32_t longest = pattern == 5 ? 20 : 300;
  for (std::uint32_t j = 0; j < keys;) {
    const auto state = static_cast<std::uint8_t>(random.between(0, 1));
    const std::uint32_t end = std::min(keys, j + random.between(1, longest));
    for (; j < end; ++j) open[j] = state;
  }
  return open;
}

/// Any of the eight ways to repeat, and now and then fewer or more keys than there are.
template <class Element>
Broadcast<Element> any_broadcast(Random& random, const AttentionShape& s) {
  Broadcast<Element> shape;
  shape.batch = random.between(0, 1) == 0 ? 1 : s.batch;
  shape.heads = random.between(0, 1) == 0 ? 1 : s.heads;
  shape.queries = random.between(0, 2) == 0 ? 1 : s.queries;
  shape.keys = s.keys;
  if (random.between(0, 3) == 0) shape.keys = random.between(0, s.keys);
  if (random.between(0, 9) == 0) shape.keys = s.keys + random.between(1, 20);
  return shape;
}

inline Broadcast<std::uint8_t> any_bool_mask(Random& random, const AttentionShape& s) {
  Broadcast<std::uint8_t> mask = any_broadcast<std::uint8_t>(random, s);
  const std::uint32_t pattern = random.between(0, 8);
  for (std::uint32_t row = 0; row < mask.batch * mask.heads * mask.queries; ++row) {
    const std::vector<std::uint8_t> open = open_keys(random, mask.keys, pattern < 7 ? pattern : random.between(0, 6));
    mask.values.insert(mask.values.end(), open.begin(), open.end());
  }
  return mask;
}

inline Broadcast<float> any_bias(Random& random, const AttentionShape& s, float spread) {
  Broadcast<float> bias = any_broadcast<float>(random, s);
  bias.values = random.normals(std::size_t{bias.batch} * bias.heads * bias.queries * bias.keys, spread);
  return bias;
}

/// -inf where a bool mask would be closed, 0 or any number elsewhere.
inline Broadcast<float> any_mask(Random& random, const AttentionShape& s) {
  const Broadcast<std::uint8_t> open = any_bool_mask(random, s);
  Broadcast<float> mask{open.batch, open.heads, open.queries, open.keys, {}};
  const std::uint32_t kind = random.between(0, 3);
  const std::uint32_t far = random.between(0, 7) == 0 ? 9 : UINT32_MAX;  // the large finite numbers that mean "hidden"
  for (std::size_t e = 0; e < open.values.size(); ++e) {
    float value = kind == 0 ? 0.0F : random.normal() * 3.0F;
    if (e % far == 7) value = -1e9F;
    const bool closed = kind != 1 && open.values[e] == 0;
    mask.values.push_back(closed ? -std::numeric_limits<float>::infinity() : value);
  }
  return mask;
}

inline std::uint32_t any_length(Random& random, std::uint32_t most) {
  const std::uint32_t kind = random.between(0, 5);
  return kind == 0 ? 0 : kind == 1 ? most : random.between(0, most);
}

/// Left and right of a window or of a bias: short ones, such as cross a block, and such as hold everything.
inline std::uint32_t any_reach(Random& random, const AttentionShape& s) {
  constexpr std::uint32_t most[] = {0, 3, 17, 70, 600};
  const std::uint32_t reach = random.between(0, most[random.between(0, 4)]);
  return random.between(0, 1) == 0 ? reach : std::min(reach, s.keys);
}

inline void add_relative_bias(Random& random, OptionsCase& c) {
  c.left = any_reach(random, c.base.shape);
  c.right = any_reach(random, c.base.shape);
  c.relative_heads = random.between(0, 2) == 0 ? 1 : c.base.shape.heads;
  c.relative = random.normals(c.relative_heads * (std::size_t{c.left} + 1 + c.right), 2.0F);
}

inline void add_sinks(Random& random, OptionsCase& c) {
  constexpr float spreads[] = {1.0F, 5.0F, 60.0F};
  c.smooth_softmax = false;
  c.sinks = random.normals(c.base.shape.heads, spreads[random.between(0, 2)]);
  if (random.between(0, 9) == 0) c.sinks[0] = -std::numeric_limits<float>::infinity();
}

inline void add_option(Random& random, OptionsCase& c, Option option) {
  constexpr float caps[] = {0.5F, 3.0F, 20.0F, 30.0F, 50.0F, 1000.0F};
  const AttentionShape& s = c.base.shape;
  const auto position = [&] { return static_cast<std::int32_t>(random.between(0, s.keys + 20)) - 10; };
  const auto fill = [&](auto& list, const auto& make) {
    list.clear();
    for (std::uint32_t b = 0; b < s.batch; ++b) list.push_back(make());
  };
  switch (option) {
    case Option::causal:
      c.base.causal = static_cast<Causal>(random.between(1, 3));
      c.base.offset = position();
      return;
    case Option::key_lengths: return fill(c.base.lengths, [&] { return any_length(random, s.keys); });
    case Option::offsets:
      if (random.between(0, 2) != 0) c.base.causal = Causal::offset;
      c.base.offset = 1 << 30;  // not read
      return fill(c.offsets, position);
    case Option::query_lengths: return fill(c.query_lengths, [&] { return any_length(random, s.queries); });
    case Option::prefix_lengths: return fill(c.prefix_lengths, [&] { return any_length(random, s.keys); });
    case Option::window:
      if (c.base.causal == Causal::none && c.offsets.empty()) c.base.offset = position();
      c.window_left = random.between(0, 3) == 0 ? -1 : static_cast<std::int32_t>(any_reach(random, s));
      c.window_right = random.between(0, 1) == 0 ? -1 : static_cast<std::int32_t>(any_reach(random, s));
      return;
    case Option::bool_mask: c.bool_mask = any_bool_mask(random, s); return;
    case Option::mask: c.mask = any_mask(random, s); return;
    case Option::pre_softcap_bias: c.pre_softcap_bias = any_bias(random, s, 3.0F); return;
    case Option::softcap: c.softcap = caps[random.between(0, 5)]; return;
    case Option::alibi: c.slopes = random.normals(s.heads, 0.5F); return;
    case Option::relative_bias: return add_relative_bias(random, c);
    case Option::sinks: return add_sinks(random, c);
    case Option::smooth_softmax:
      c.sinks.clear();
      c.smooth_softmax = true;
      return;
  }
}

enum class Size : std::uint8_t { small, medium, large };

/// Small: one block, few rows. Medium: over 16 and 64 rows and keys. Large: over 256 and 512 keys.
inline OptionsCase plain_case(Random& random, Size size) {
  constexpr std::uint32_t dims[] = {1, 2, 3, 8, 16, 31, 33, 64};
  constexpr float spreads[] = {1.0F, 1.0F, 3.0F, 8.0F};
  AttentionShape s;
  const bool small = size == Size::small;
  s.kv_heads = random.between(1, small ? 3 : 2);
  s.heads = s.kv_heads * random.between(1, small ? 4 : 3);
  s.batch = random.between(1, small ? 3 : 2);
  s.queries = random.between(1, small ? 12 : size == Size::medium ? 80 : 30);
  s.keys = size == Size::large ? random.between(200, 800) : random.between(random.between(0, 1), small ? 40 : 130);
  s.head_dim = dims[random.between(0, 7)];
  s.value_dim = random.between(0, 2) == 0 ? dims[random.between(0, 7)] : s.head_dim;
  OptionsCase c;
  c.base = random_case(random, s, spreads[random.between(0, 3)]);
  if (random.between(0, 3) == 0) c.base.scale = 0.25F * static_cast<float>(random.between(1, 12)) - 1.6F;
  return c;
}

inline Size any_size(Random& random) {
  const std::uint32_t kind = random.between(0, 99);
  return kind < 94 ? Size::small : kind < 98 ? Size::medium : Size::large;
}

/// Each option with a chance of one half.
inline OptionsCase any_options(Random& random, Size size) {
  OptionsCase c = plain_case(random, size);
  for (std::uint32_t option = 0; option < option_count; ++option) {
    if (random.between(0, 1) == 0) add_option(random, c, static_cast<Option>(option));
  }
  return c;
}

inline OptionsManner any_options_manner(Random& random, const AttentionShape& shape) {
  constexpr std::uint32_t budgets[] = {0, 0, 1, 4096, 16384, 40000, 1 << 20};
  OptionsManner manner;
  manner.base.scratch_budget = budgets[random.between(0, 6)];
  manner.base.from_cache = random.between(0, 1) == 1;
  manner.base.rows_first_layout = random.between(0, 1) == 1;
  if (random.between(0, 1) == 1) manner.base.max_keys = std::max(shape.keys, 1U);
  manner.base.want_scores = true;
  manner.base.stage = score_stages[random.between(0, 3)];
  manner.format = static_cast<MaskFormat>(random.between(0, 1));
  manner.padding = random.between(0, 3);
  manner.backwards = random.between(0, 3) == 0;
  return manner;
}

}  // namespace heed::test
