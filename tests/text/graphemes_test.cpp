// SPDX-License-Identifier: MIT
//
// Grapheme clusters, rule by rule of UAX #29, and the classes of code points that the rules ask for.
#include <gtest/gtest.h>

#include <string>
#include <text/graphemes.hpp>
#include <text/utf8.hpp>
#include <vector>

namespace heed::test {
namespace {

std::string text_of(const std::vector<std::uint32_t>& points) {
  std::string text;
  for (const std::uint32_t point : points) {
    char bytes[4];
    text.append(bytes, detail::write_point(point, bytes));
  }
  return text;
}

/// How many characters each cluster has.
std::vector<std::size_t> clusters(const std::vector<std::uint32_t>& points) {
  const std::string text = text_of(points);
  std::vector<std::size_t> found;
  std::size_t next = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = at + detail::first_grapheme(std::span<const char>(text).subspan(at));
    std::size_t count = 0;
    while (at < end) {
      at += text_of({points[next++]}).size();
      ++count;
    }
    EXPECT_EQ(at, end);
    found.push_back(count);
  }
  return found;
}

using Counts = std::vector<std::size_t>;

TEST(Graphemes, BreakAtControls) {
  EXPECT_EQ(clusters({'\r', '\n', '\n', '\r', 'a'}), (Counts{2, 1, 1, 1}));
  EXPECT_EQ(clusters({'a', 7, 0x301, 0x7F, 0x301, 0xAD, 0x301}), (Counts{1, 1, 1, 1, 1, 1, 1}));
}

TEST(Graphemes, KeepMarks) {
  EXPECT_EQ(clusters({'a', 0x301, 0x308, 'b', 0x903, 0x200D, 'c'}), (Counts{3, 3, 1}));
  EXPECT_EQ(clusters({0x600, 'a', 0x600, 0x301, 0x600, '\n'}), (Counts{2, 2, 1, 1}));
}

TEST(Graphemes, KeepSyllablesOfHangul) {
  EXPECT_EQ(clusters({0x1100, 0x1100, 0x1161, 0x11A8, 0x11A8}), (Counts{5}));
  EXPECT_EQ(clusters({0xAC00, 0x11A8, 0xAC00, 0x1161, 0xAC01, 0x1161}), (Counts{2, 2, 1, 1}));
  EXPECT_EQ(clusters({0x1161, 0x1100, 0x11A8, 0x1161, 0xAC01, 0x11A8, 0xAC01, 0xAC00}), (Counts{1, 1, 1, 1, 2, 1, 1}));
  EXPECT_EQ(clusters({0x1100, 0xAC01, 0x1100, 0xAC00, 0x11A8, 0x1100, 0x301, 0x1161}), (Counts{2, 3, 2, 1}));
}

TEST(Graphemes, KeepFlagsAndPictographs) {
  const std::uint32_t flag = 0x1F1E6;
  EXPECT_EQ(clusters({flag, flag, flag, flag, flag, 'a'}), (Counts{2, 2, 1, 1}));
  EXPECT_EQ(clusters({flag, 0x301, flag, flag, 0x600, flag, flag, flag}), (Counts{2, 2, 3, 1}));
  EXPECT_EQ(clusters({0xA9, 0x200D, 0xA9, 0x301, 0x200D, 0xAE, 'a', 0x200D, 0xA9}), (Counts{6, 2, 1}));
  EXPECT_EQ(clusters({0xA9, 0x200D, 0x301, 0xA9, 0x200D, 0x200D, 0xA9}), (Counts{3, 3, 1}));
}

TEST(Graphemes, KeepConjunctsOfIndicScripts) {
  EXPECT_EQ(clusters({0x915, 0x94D, 0x915, 0x93C, 0x94D, 0x200D, 0x915}), (Counts{7}));
  EXPECT_EQ(clusters({0x915, 0x93C, 0x915, 0x94D, 0x200C, 0x915, 0x94D, 'a'}), (Counts{2, 3, 2, 1}));
  EXPECT_EQ(clusters({'a', 0x94D, 0x915, 0x94D, 0x903, 0x915}), (Counts{2, 3, 1}));
}

TEST(Graphemes, OfBytesThatAreNoCharacters) {
  const std::string text("\xE0\xA4\xCC\x81\xFF", 5);
  EXPECT_EQ(detail::first_grapheme(text), 4U);
  EXPECT_EQ(detail::first_grapheme(std::span<const char>(text).last(1)), 1U);
}

}  // namespace
}  // namespace heed::test
