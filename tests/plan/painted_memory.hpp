// SPDX-License-Identifier: MIT
//
// Memory that tells which of its bytes a run has written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/arena.hpp"
#include "support/aligned_memory.hpp"

namespace heed::test {

/// Memory between two margins. What a run has written differs from the paint, or from the other one in the next run,
/// which is its complement.
class Painted {
 public:
  static constexpr std::size_t margin = 256;

  explicit Painted(std::size_t bytes)
      : bytes_(bytes), memory_(bytes + 2 * margin), before_(bytes + 2 * margin), written_(bytes + 2 * margin) {}

  [[nodiscard]] std::span<std::byte> span() const { return memory_.span().subspan(margin, bytes_); }

  /// Calls run() twice, with either paint.
  template <class Run>
  void watch(const Run& run) {
    for (const unsigned char flip : {0x00, 0xFF}) {
      const std::span<std::byte> all = memory_.span();
      for (std::size_t i = 0; i < all.size(); ++i) {
        all[i] = static_cast<std::byte>(static_cast<unsigned char>(0xA5 + i * 37) ^ flip);
        before_[i] = all[i];
      }
      run();
      for (std::size_t i = 0; i < all.size(); ++i) written_[i] = written_[i] || all[i] != before_[i];
    }
  }

  void expect_nothing_outside() const {
    for (std::size_t i = 0; i < margin; ++i) {
      ASSERT_FALSE(written_[i]) << "written: " << margin - i << " bytes before the memory";
      ASSERT_FALSE(written_[margin + bytes_ + i]) << "written: " << i << " bytes after the memory";
    }
  }

  /// That as many bytes of a region are written as its numbers take; vectors that are not full may leave the rest.
  void expect_written(const char* name, const Region& region, std::uint64_t numbers, std::size_t offset = 0) const {
    const auto first = written_.begin() + static_cast<std::ptrdiff_t>(margin + offset + region.offset);
    const auto count = std::count(first, first + region.bytes, true);
    EXPECT_GE(static_cast<std::uint64_t>(count), numbers) << name << " has " << region.bytes << " bytes";
  }

 private:
  std::size_t bytes_;
  AlignedMemory memory_;
  std::vector<std::byte> before_;
  std::vector<bool> written_;
};

}  // namespace heed::test
