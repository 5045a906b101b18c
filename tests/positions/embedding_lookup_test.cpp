// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heed/positions.hpp"

namespace {

using heed::Status;

constexpr std::array<float, 12> table{0.0F, 0.1F, 0.2F, 1.0F, 1.1F, 1.2F, 2.0F, 2.1F, 2.2F, 3.0F, 3.1F, 3.2F};

TEST(LearnedPositions, AreAddedRowByRow) {
  for (const std::uint32_t first : {0U, 2U}) {
    std::vector<float> x(2 * 4, 0.25F);
    ASSERT_EQ(heed::add_learned_positions(table, {x.data(), 0, 4}, 2, 3, first), Status::ok);
    for (std::size_t row = 0; row < 2; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        EXPECT_EQ(x[row * 4 + column], 0.25F + table[(first + row) * 3 + column]);
      }
      EXPECT_EQ(x[row * 4 + 3], 0.25F);
    }
  }
}

TEST(LearnedPositions, RefuseBadArgumentsAndWriteNothing) {
  std::vector<float> x(12, 0.5F);
  const auto add = [&x](std::uint32_t rows, std::uint32_t dim, std::uint32_t first, std::ptrdiff_t stride,
                        std::span<const float> from = table) {
    return heed::add_learned_positions(from, {x.data(), 0, stride}, rows, dim, first);
  };
  EXPECT_EQ(heed::add_learned_positions(table, {nullptr, 0, 3}, 1, 3), Status::null_pointer);
  EXPECT_EQ(add(1, 3, 0, 3, {}), Status::null_pointer);
  EXPECT_EQ(add(0, 3, 0, 3), Status::zero_dimension);
  EXPECT_EQ(add(1, 0, 0, 3), Status::zero_dimension);
  EXPECT_EQ(add(1, 65537, 0, 65537), Status::too_large);
  EXPECT_EQ(add((1U << 30) + 1, 3, 0, 3), Status::too_large);
  EXPECT_EQ(add(2, 3, 0, 2), Status::bad_stride);
  EXPECT_EQ(add(2, 3, 0, PTRDIFF_MIN), Status::bad_stride);
  EXPECT_EQ(add(1, 5, 0, 5), Status::bad_length);
  EXPECT_EQ(add(2, 3, 3, 3), Status::bad_position);
  EXPECT_EQ(add(1, 3, 4, 3), Status::bad_position);
  EXPECT_EQ(add(2, 3, UINT32_MAX, 3), Status::bad_position);
  for (const float value : x) EXPECT_EQ(value, 0.5F);
  EXPECT_EQ(add(4, 3, 0, 3), Status::ok);
}

TEST(Embeddings, CopyTheRowOfEveryToken) {
  constexpr std::array<std::uint32_t, 5> tokens{3, 0, 3, 1, 2};
  std::vector<float> x(5 * 4, -1.0F);
  ASSERT_EQ(heed::embedding_lookup(table, 3, tokens, {x.data(), 0, 4}), Status::ok);
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      EXPECT_EQ(x[row * 4 + column], table[tokens[row] * 3 + column]);
    }
    EXPECT_EQ(x[row * 4 + 3], -1.0F);
  }
}

TEST(Embeddings, RefuseBadArgumentsAndWriteNothing) {
  constexpr std::array<std::uint32_t, 2> tokens{0, 3};
  constexpr std::array<std::uint32_t, 2> outside{0, 4};
  std::vector<float> x(8, 0.5F);
  const heed::MutableMatrix rows = heed::dense(x.data(), 2, 3);
  EXPECT_EQ(heed::embedding_lookup(table, 3, outside, rows), Status::bad_token);
  EXPECT_EQ(heed::embedding_lookup(table, 5, tokens, {x.data(), 0, 5}), Status::bad_length);
  EXPECT_EQ(heed::embedding_lookup(table, 0, tokens, rows), Status::zero_dimension);
  EXPECT_EQ(heed::embedding_lookup(table, 3, {}, rows), Status::zero_dimension);
  EXPECT_EQ(heed::embedding_lookup(table, 65537, tokens, rows), Status::too_large);
  EXPECT_EQ(heed::embedding_lookup(table, 3, tokens, {x.data(), 0, 2}), Status::bad_stride);
  EXPECT_EQ(heed::embedding_lookup(table, 3, tokens, {x.data(), 0, PTRDIFF_MIN}), Status::bad_stride);
  EXPECT_EQ(heed::embedding_lookup(table, 3, tokens, {nullptr, 0, 3}), Status::null_pointer);
  EXPECT_EQ(heed::embedding_lookup({static_cast<const float*>(nullptr), 12}, 3, tokens, rows), Status::null_pointer);
  EXPECT_EQ(heed::embedding_lookup(table, 3, {static_cast<const std::uint32_t*>(nullptr), 2}, rows),
            Status::null_pointer);
  for (const float value : x) EXPECT_EQ(value, 0.5F);
}

}  // namespace
