// SPDX-License-Identifier: MIT
//
// Cases of attention over rings that have wrapped around, and cases that say the same without a ring.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "cache/kv_cache_run.hpp"

namespace heed::test {

/// The token in every slot of a ring, by carrying out the definition.
inline std::vector<std::uint32_t> tokens_in_slots(std::uint32_t tokens, std::uint32_t slots, std::uint32_t sinks) {
  std::vector<std::uint32_t> result(slots);
  for (std::uint32_t t = 0; t < tokens; ++t) result[t < sinks ? t : sinks + (t - sinks) % (slots - sinks)] = t;
  return result;
}

/// A case whose keys are what rings of `sinks` sink tokens hold, batch entry by batch entry, after so many tokens.
struct RingCase {
  OptionsCase options;
  KvCacheConfig storage;

  RingCase(const OptionsCase& c, const KvCacheConfig& kind, std::uint32_t sinks, std::vector<std::uint32_t> tokens)
      : options(c), storage(kind) {
    storage.ring = true;
    storage.sink_tokens = sinks;
    for (const std::uint32_t count : tokens) {
      options.key_positions.push_back(tokens_in_slots(count, c.base.shape.keys, sinks));
    }
    options.tokens = std::move(tokens);
  }
};

/// Queries, offsets and prefixes that lie anywhere, mostly near the newest tokens.
inline void place_among_tokens(Random& random, OptionsCase& c, const std::vector<std::uint32_t>& tokens) {
  const auto place = [&](std::uint32_t count) {
    const std::uint32_t kind = random.between(0, 5);
    const std::uint32_t at = kind == 0 ? random.between(0, count) : count - random.between(0, c.base.shape.keys);
    return static_cast<std::int32_t>(at + 3) - static_cast<std::int32_t>(random.between(0, 6));
  };
  c.base.offset = place(tokens[0]);
  for (std::size_t b = 0; b < c.offsets.size(); ++b) c.offsets[b] = place(tokens[b]);
  for (std::size_t b = 0; b < c.prefix_lengths.size(); ++b) {
    c.prefix_lengths[b] = static_cast<std::uint32_t>(std::max(place(tokens[b]), 0));
  }
}

inline Size size_of(std::uint32_t number) {
  return number % 24 == 7 ? Size::large : number % 3 == 1 ? Size::medium : Size::small;
}

/// A ring with options of every kind, at least one of which asks for positions.
inline RingCase any_ring(std::uint32_t number, Size size) {
  Random random(73000 + number);
  OptionsCase c = any_options(random, size);
  const AttentionShape& s = c.base.shape;
  while (s.keys < 2) c = any_options(random, size);
  if (number % 3 == 0) c.window_left = static_cast<std::int32_t>(random.between(0, s.keys));
  if (number % 3 == 1) c.base.causal = Causal::bottom_right;
  if (number % 3 == 2) c.slopes = random.normals(s.heads, 0.5F);
  const std::uint32_t sinks = random.between(0, 1) == 0 ? 0 : random.between(0, std::min(s.keys - 1, 40U));
  std::vector<std::uint32_t> tokens;
  for (std::uint32_t b = 0; b < s.batch; ++b) tokens.push_back(random.between(s.keys + 1, 3 * s.keys + 20));
  place_among_tokens(random, c, tokens);
  return {c, storage_number(number), sinks, tokens};
}

/// The masks that count in tokens, as a bool mask of slots.
inline OptionsCase masked_by_slots(const OptionsCase& c) {
  const AttentionShape& s = c.base.shape;
  OptionsCase result = c;
  result.bool_mask = {s.batch, s.heads, s.queries, s.keys, {}};
  for (std::uint32_t stream = 0; stream < s.batch * s.heads; ++stream) {
    for (std::uint32_t i = 0; i < s.queries; ++i) {
      for (std::uint32_t j = 0; j < s.keys; ++j) {
        result.bool_mask.values.push_back(c.seen(stream / s.heads, stream % s.heads, i, j) ? 1 : 0);
      }
    }
  }
  result.base.causal = Causal::none;
  result.window_left = result.window_right = -1;
  result.query_lengths = result.prefix_lengths = {};
  result.key_positions = {};
  result.tokens = {};
  return result;
}

/// The tokens of a ring in the order of time, those that it has overwritten as masked zeros.
inline OptionsCase in_time(const OptionsCase& c) {
  OptionsCase result = c;
  AttentionShape& s = result.base.shape;
  const std::uint32_t slots = s.keys;
  s.keys = *std::max_element(c.tokens.begin(), c.tokens.end());
  result.base.lengths = c.tokens;
  result.bool_mask = {s.batch, 1, 1, s.keys, std::vector<std::uint8_t>(std::size_t{s.batch} * s.keys)};
  result.base.key.assign(std::size_t{s.batch} * s.kv_heads * s.keys * s.head_dim, 0.0F);
  result.base.value.assign(std::size_t{s.batch} * s.kv_heads * s.keys * s.value_dim, 0.0F);
  for (std::uint32_t stream = 0; stream < s.batch * s.kv_heads; ++stream) {
    const std::uint32_t b = stream / s.kv_heads;
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const std::size_t from = std::size_t{stream} * slots + slot;
      const std::size_t to = std::size_t{stream} * s.keys + c.key_positions[b][slot];
      std::copy_n(&c.base.key[from * s.head_dim], s.head_dim, &result.base.key[to * s.head_dim]);
      std::copy_n(&c.base.value[from * s.value_dim], s.value_dim, &result.base.value[to * s.value_dim]);
      result.bool_mask.values[std::size_t{b} * s.keys + c.key_positions[b][slot]] = slot < c.base.length(b) ? 1 : 0;
    }
  }
  result.key_positions = {};
  result.tokens = {};
  return result;
}

/// A ring without sink tokens whose slots are in the order of time, with positions that count from its oldest token.
inline OptionsCase from_oldest_token(const OptionsCase& c) {
  OptionsCase result = c;
  result.offsets.clear();
  for (std::uint32_t b = 0; b < c.base.shape.batch; ++b) {
    const std::uint32_t oldest = c.key_positions[b][0];
    result.offsets.push_back(static_cast<std::int32_t>(c.position(b, 0) - oldest));
    if (!c.prefix_lengths.empty()) result.prefix_lengths[b] = std::max(c.prefix_lengths[b], oldest) - oldest;
  }
  if (c.base.causal != Causal::none) result.base.causal = Causal::offset;
  result.key_positions = {};
  result.tokens = {};
  return result;
}

}  // namespace heed::test
