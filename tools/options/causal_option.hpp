// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/attention.hpp"

namespace heed::tools {

/// Where queries stand among the keys, by a rule or by a number: query i is at position i + offset.
enum class Alignment : std::uint8_t {
  number,
  bottom_right,  ///< offset = key length - query length
  onnx,          ///< the length of the past, or else given key length - queries, or else 0
};

struct CausalMask {
  bool hides = false;  ///< the keys after a query's position
  Alignment alignment = Alignment::number;
  std::int32_t offset = 0;  ///< of Alignment::number
};

/// "none", "top-left", which is also what an empty text means, "bottom-right", "onnx" or a whole number. With "none",
/// `position` says where the queries are all the same; without it they come after the past.
[[nodiscard]] CausalMask parse_causal(const std::string& causal, const std::string& position, std::uint32_t past);

/// Lengths of a batch; empty ones were not given.
struct BatchLengths {
  std::uint32_t batch = 0;
  std::uint32_t queries = 0;
  std::uint32_t keys = 0;
  std::optional<std::uint32_t> past;
  std::span<const std::uint32_t> key_lengths;
  std::span<const std::uint32_t> query_lengths;
};

/// The offset of each batch entry.
[[nodiscard]] std::vector<std::int32_t> query_offsets(const CausalMask& mask, const BatchLengths& lengths);

}  // namespace heed::tools
