// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heed::test::fuzz {

/// Numbers that the bytes of an input choose, one after the other; 0 where they end.
class Choices {
 public:
  explicit Choices(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(bytes_.front());
    bytes_ = bytes_.subspan(1);
    return first;
  }

  std::uint32_t word() {
    std::uint32_t word = 0;
    for (int i = 0; i < 4; ++i) word = word << 8 | byte();
    return word;
  }

  /// 0 to count - 1; count is 1 to 256.
  std::uint32_t below(std::uint32_t count) { return byte() % count; }

  bool coin() { return below(2) == 1; }

  /// Nearly always below `count`, otherwise anything.
  std::uint32_t mostly_below(std::uint32_t count) {
    const std::uint8_t choice = byte();
    return choice < 250 ? choice % count : word();
  }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace heed::test::fuzz
