// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heed/block.hpp"

namespace heed::tools {

/// The hash of what a model had computed at a stage.
struct StageHash {
  std::uint32_t block = 0;
  std::string stage;
  std::uint64_t hash = 0;
};

/// Whether to_string() has this word for a stage.
[[nodiscard]] bool is_stage(std::string_view name);

/// FNV-1a over the bytes of the floats, little-endian: 64 bits.
[[nodiscard]] std::uint64_t hash_of(const float* values, std::size_t count);

/// Collects a hash for every stage of every call, in their order.
class StageHashes {
 public:
  void add(std::uint32_t block, Stage stage, const float* values, std::uint32_t rows, std::uint32_t columns);

  /// {"stages": [{"block": 0, "stage": "embedding", "hash": "0123456789abcdef"}, ...]}
  [[nodiscard]] std::string to_json() const;

 private:
  std::vector<StageHash> stages_;
};

/// The hashes of a file that to_json() wrote, or of a console's text, in which every line `stage <block> <stage>
/// <hash>` is one and the others are ignored. A Failure begins with `name`.
[[nodiscard]] std::vector<StageHash> parse_stages(const std::string& text, const std::string& name);

/// 16 hexadecimal digits.
[[nodiscard]] std::string to_digits(std::uint64_t hash);

}  // namespace heed::tools
