// SPDX-License-Identifier: MIT
#include "tokenizers/trie_builder.hpp"

#include <algorithm>
#include <string_view>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::uint32_t unused = 0xFF;
constexpr std::size_t most_units = std::size_t{1} << 24;

/// Nodes of several bytes are not tried further back than this: what is left free there fits one byte.
constexpr std::size_t searched = 16384;

using Text = std::pair<std::string_view, std::uint32_t>;

}  // namespace

void TrieBuilder::grow() {
  if (units_.size() == most_units) throw Failure("the vocabulary is too large");
  units_.resize(units_.size() + 256, unused);
  nodes_.resize(units_.size());
}

std::uint32_t TrieBuilder::place(const std::vector<unsigned char>& bytes) {
  // What does not fit a node of this byte alone never will.
  std::size_t& first = first_[bytes.front()];
  while (first < units_.size() && (units_[first] != unused || nodes_[first ^ bytes.front()])) ++first;
  std::size_t from = first;
  if (bytes.size() > 1 && units_.size() > searched) from = std::max(from, units_.size() - searched);
  for (std::size_t i = from;; ++i) {
    if (i == units_.size()) grow();
    if (units_[i] != unused) continue;
    const std::size_t node = i ^ bytes.front();
    const bool fits = !nodes_[node] && std::all_of(bytes.begin(), bytes.end(),
                                                   [&](unsigned char byte) { return units_[node ^ byte] == unused; });
    if (!fits) continue;
    nodes_[node] = true;
    return static_cast<std::uint32_t>(node);
  }
}

std::uint32_t TrieBuilder::add(const std::map<std::string, std::uint32_t>& values) {
  const std::vector<Text> texts(values.begin(), values.end());
  struct Open {
    std::size_t begin;
    std::size_t end;
    std::size_t depth;
    std::size_t unit;  ///< that gets the node; its number is no unit's: the root
  };
  std::uint32_t root = 0;
  std::vector<Open> open{{0, texts.size(), 0, most_units}};
  while (!open.empty()) {
    const Open at = open.back();
    open.pop_back();
    const auto byte_of = [&](std::size_t i) {
      return texts[i].first.size() == at.depth ? 0 : static_cast<unsigned char>(texts[i].first[at.depth]);
    };
    std::vector<unsigned char> bytes;
    std::vector<std::size_t> begins;
    for (std::size_t i = at.begin; i < at.end; ++i) {
      if (!bytes.empty() && bytes.back() == byte_of(i)) continue;
      bytes.push_back(static_cast<unsigned char>(byte_of(i)));
      begins.push_back(i);
    }
    begins.push_back(at.end);
    const std::uint32_t node = place(bytes);
    if (at.unit == most_units) {
      root = node;
    } else {
      units_[at.unit] |= node << 8;
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t unit = node ^ bytes[i];
      units_[unit] = bytes[i];
      if (bytes[i] == 0) {
        units_[unit] |= texts[begins[i]].second << 8;
      } else {
        open.push_back({begins[i], begins[i + 1], at.depth + 1, unit});
      }
    }
  }
  return root;
}

}  // namespace heed::tools
