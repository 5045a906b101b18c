// SPDX-License-Identifier: MIT
//
// A case of attend() with options, in a form that owes nothing to how the runtime is handed it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "heed/options.hpp"
#include "support/reference.hpp"

namespace heed::test {

/// Dense [batch, heads, queries, keys], where each of the first three is 1 if the values repeat along it. Empty where
/// all are 0: there is none.
template <class Element>
struct Broadcast {
  std::uint32_t batch = 0, heads = 0, queries = 0, keys = 0;
  std::vector<Element> values;

  [[nodiscard]] bool empty() const { return batch == 0; }
  [[nodiscard]] std::size_t index(std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) const {
    const std::size_t stream = std::size_t{batch == 1 ? 0 : b} * heads + (heads == 1 ? 0 : h);
    return (stream * queries + (queries == 1 ? 0 : i)) * keys + j;
  }
  [[nodiscard]] Element at(std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) const {
    return values[index(b, h, i, j)];
  }
};

/// The options of a case; `base` has the rest. What is empty, 0 or -1 is not set.
struct OptionsCase {
  AttentionCase base;
  std::vector<std::int32_t> offsets;
  std::vector<std::uint32_t> query_lengths, prefix_lengths;
  std::int32_t window_left = -1, window_right = -1;
  Broadcast<std::uint8_t> bool_mask;  ///< 0 or 1
  Broadcast<float> mask, pre_softcap_bias;
  float softcap = 0.0F;
  std::vector<float> slopes;
  std::vector<float> relative;  ///< [heads or 1, left + 1 + right]
  std::uint32_t relative_heads = 0, left = 0, right = 0;
  std::vector<float> sinks;
  bool smooth_softmax = false;
  std::vector<std::vector<std::uint32_t>> key_positions;  ///< [batch][keys] of a ring; otherwise key j is at position j
  std::vector<std::uint32_t> tokens;                      ///< [batch] that it has counted, in place of its key length

  [[nodiscard]] std::int64_t key_position(std::uint32_t b, std::uint32_t j) const {
    return key_positions.empty() ? j : key_positions[b][j];
  }

  [[nodiscard]] std::uint32_t query_length(std::uint32_t b) const {
    return query_lengths.empty() ? base.shape.queries : query_lengths[b];
  }

  [[nodiscard]] std::int64_t position(std::uint32_t b, std::uint32_t i) const {
    const std::int64_t given = offsets.empty() ? base.offset : offsets[b];
    switch (base.causal) {
      case Causal::top_left: return i;
      case Causal::bottom_right:
        return std::int64_t{i} + (tokens.empty() ? base.length(b) : tokens[b]) - query_length(b);
      case Causal::none:
      case Causal::offset: return i + given;
    }
    return 0;
  }

  [[nodiscard]] double distance(std::uint32_t b, std::uint32_t i, std::uint32_t j) const {
    return std::abs(static_cast<double>(key_position(b, j) - position(b, i)));
  }

  [[nodiscard]] double relative_bias(std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) const {
    const std::int64_t distance = key_position(b, j) - position(b, i);
    const std::int64_t at = std::clamp(distance, -std::int64_t{left}, std::int64_t{right}) + left;
    const std::size_t row = relative_heads == 1 ? 0 : h;
    return relative[row * (std::size_t{left} + 1 + right) + static_cast<std::size_t>(at)];
  }

  /// The logit without a key; -inf if there is none.
  [[nodiscard]] double sink(std::uint32_t h) const {
    if (smooth_softmax) return 0.0;
    return sinks.empty() ? -std::numeric_limits<double>::infinity() : static_cast<double>(sinks[h]);
  }

  [[nodiscard]] bool seen(std::uint32_t b, std::uint32_t h, std::uint32_t i, std::uint32_t j) const {
    if (i >= query_length(b) || j >= base.length(b)) return false;
    const std::int64_t at = position(b, i);
    const std::int64_t key = key_position(b, j);
    const bool in_prefix = !prefix_lengths.empty() && key < prefix_lengths[b];
    if (base.causal != Causal::none && key > at && !in_prefix) return false;
    if (window_left >= 0 && key < at - window_left) return false;
    if (window_right >= 0 && key > at + window_right) return false;
    if (!bool_mask.empty() && (j >= bool_mask.keys || bool_mask.at(b, h, i, j) == 0)) return false;
    if (!mask.empty() && (j >= mask.keys || mask.at(b, h, i, j) < -2.35e38F)) {
      return false;
    }
    return true;
  }
};

/// Everything but the numbers, for a message.
inline std::string describe(const OptionsCase& c) {
  std::ostringstream text;
  const AttentionShape& s = c.base.shape;
  const auto list = [&text](const char* name, const auto& values) {
    if (values.empty()) return;
    text << ' ' << name;
    for (const auto value : values) text << ' ' << value;
  };
  const auto broadcast = [&text](const char* name, const auto& values) {
    if (values.empty()) return;
    text << ' ' << name << " [" << values.batch << ' ' << values.heads << ' ' << values.queries << ' ' << values.keys
         << ']';
  };
  text << "batch " << s.batch << " heads " << s.heads << '/' << s.kv_heads << " queries " << s.queries << " keys "
       << s.keys << " dims " << s.head_dim << ' ' << s.value_dim << " causal " << int(c.base.causal) << " offset "
       << c.base.offset << " scale " << c.base.scale;
  list("lengths", c.base.lengths);
  list("offsets", c.offsets);
  list("query lengths", c.query_lengths);
  list("prefix lengths", c.prefix_lengths);
  if (c.window_left >= 0 || c.window_right >= 0) text << " window " << c.window_left << ' ' << c.window_right;
  broadcast("bool mask", c.bool_mask);
  broadcast("mask", c.mask);
  broadcast("pre-cap bias", c.pre_softcap_bias);
  if (c.softcap != 0.0F) text << " softcap " << c.softcap;
  list("slopes", c.slopes);
  if (c.relative_heads != 0) text << " relative [" << c.relative_heads << "] " << c.left << ' ' << c.right;
  list("sinks", c.sinks);
  list("tokens", c.tokens);
  if (c.smooth_softmax) text << " smooth";
  return text.str();
}

}  // namespace heed::test
