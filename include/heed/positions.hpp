// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "heed/heed_positions.h"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed {

/// Adds the sinusoidal encoding of positions first_position, first_position + 1, ... to x [1, rows, dim], in place.
/// Each sine and cosine is within 2^-24 of the exact one at every position below 2^32, for every finite base above 1,
/// and is then added with one rounding. An odd dim has one more sine than cosines.
///
/// dim is at most 65536, rows at most 2^30 and first_position + rows at most 2^32; with more than one row,
/// |x.row_stride| is at least dim.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_base, bad_option (no such order).
[[nodiscard]] Status add_sinusoidal_positions(MutableMatrix x, std::uint32_t rows, std::uint32_t dim,
                                              std::uint32_t first_position = 0,
                                              SinusoidLayout order = SinusoidLayout::interleaved,
                                              float base = 10000.0F) noexcept;

/// Adds the learned encoding of positions first_position, first_position + 1, ... to x [1, rows, dim], in place: row r
/// gets row first_position + r of the table [positions, dim], dense, whose size is a multiple of dim. dim
/// is at most 65536, rows at most 2^30; with more than one row, |x.row_stride| is at least dim.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_length (the size of the table), bad_position.
[[nodiscard]] Status add_learned_positions(std::span<const float> table, MutableMatrix x, std::uint32_t rows,
                                           std::uint32_t dim, std::uint32_t first_position = 0) noexcept;

/// Copies the table row of every token id into x [1, tokens, dim]. table is [vocabulary, dim], dense; its size is a
/// multiple of dim and every token is below vocabulary.
/// Statuses: zero_dimension, too_large, null_pointer, bad_stride, bad_length (the size of the table), bad_token.
[[nodiscard]] Status embedding_lookup(std::span<const float> table, std::uint32_t dim,
                                      std::span<const std::uint32_t> tokens, MutableMatrix x) noexcept;

}  // namespace heed
