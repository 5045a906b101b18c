// SPDX-License-Identifier: MIT
//
// The canonical order of marks: by their classes, those of one class as they are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "support/random.hpp"
#include "text/hangul.hpp"
#include "text/unicode.hpp"

namespace heed::test {
namespace {

/// Classes 230, 202, 220, 1, 240, 9, 233 and 0; none of them splits.
constexpr std::uint32_t points[] = {0x301, 0x327, 0x323, 0x334, 0x345, 0x94D, 0x35C, 'a', 'b'};

std::vector<std::uint32_t> ordered(std::vector<std::uint32_t> text) {
  const auto before = [](std::uint32_t a, std::uint32_t b) {
    return detail::combining_class(a) < detail::combining_class(b);
  };
  const auto is_base = [](std::uint32_t point) { return detail::combining_class(point) == 0; };
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find_if(begin, text.end(), is_base);
    std::stable_sort(begin, end, before);
    begin = end == text.end() ? end : end + 1;
  }
  return text;
}

TEST(CanonicalOrder, IsAStableOne) {
  Random random(1);
  for (std::uint32_t length = 0; length < 400; ++length) {
    std::vector<std::uint32_t> text(length);
    // With 8 of 9 a mark, and with marks alone.
    for (std::uint32_t& point : text) point = points[random.between(0, length % 2 == 0 ? 8 : 6)];
    const std::vector<std::uint32_t> expected = ordered(text);
    text.resize(2 * length);
    std::uint32_t count = length;
    ASSERT_TRUE(detail::decompose(text.data(), count, 2 * length));
    ASSERT_EQ(count, length);
    text.resize(count);
    ASSERT_EQ(text, expected) << length;
  }
}

/// The room beyond the text takes the longest run that is out of order.
TEST(CanonicalOrder, NeedsRoomForARunThatIsOutOfOrder) {
  const std::vector<std::uint32_t> text{'a', 0x301, 0x301, 0x327, 'b', 0x327, 0x301};
  for (std::uint32_t room = 7; room <= 11; ++room) {
    std::vector<std::uint32_t> words = text;
    words.resize(room);
    std::uint32_t count = 7;
    EXPECT_EQ(detail::decompose(words.data(), count, room), room >= 10) << room;
  }
}

}  // namespace
}  // namespace heed::test
