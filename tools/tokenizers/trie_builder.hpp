// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heed::tools {

/// Tries in one double array, as runtime/text/trie.hpp reads them.
class TrieBuilder {
 public:
  /// The first node of a trie of these texts, which are not empty and hold neither byte 0 nor 0xFF.
  [[nodiscard]] std::uint32_t add(const std::map<std::string, std::uint32_t>& values);

  /// A multiple of 256; none if there are no tries.
  [[nodiscard]] const std::vector<std::uint32_t>& units() const { return units_; }

 private:
  /// A node whose words for all of these bytes are free.
  [[nodiscard]] std::uint32_t place(const std::vector<unsigned char>& bytes);
  void grow();

  std::vector<std::uint32_t> units_ = {};
  std::vector<bool> nodes_ = {};          ///< which numbers are nodes
  std::array<std::size_t, 256> first_{};  ///< unit that a node whose first byte this is may have
};

}  // namespace heed::tools
