// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/positions.hpp"

namespace heed {
namespace {

[[nodiscard]] Status check(std::span<const float> table, std::uint32_t dim, std::span<const std::uint32_t> tokens,
                           const MutableMatrix& x) noexcept {
  if (dim == 0 || tokens.empty()) return Status::zero_dimension;
  if (table.data() == nullptr || tokens.data() == nullptr) return Status::null_pointer;
  if (dim > max_dimension || tokens.size() > max_rows) return Status::too_large;
  const Status status = detail::check_output(x, 1, static_cast<std::uint32_t>(tokens.size()), dim);
  if (status != Status::ok) return status;
  if (table.size() % dim != 0) return Status::bad_length;
  const std::size_t vocabulary = table.size() / dim;
  for (const std::uint32_t token : tokens) {
    if (token >= vocabulary) return Status::bad_token;
  }
  return Status::ok;
}

[[nodiscard]] Status check_positions(std::span<const float> table, const MutableMatrix& x, std::uint32_t rows,
                                     std::uint32_t dim, std::uint32_t first_position) noexcept {
  if (rows == 0 || dim == 0) return Status::zero_dimension;
  if (table.data() == nullptr) return Status::null_pointer;
  if (dim > max_dimension || rows > max_rows) return Status::too_large;
  const Status status = detail::check_output(x, 1, rows, dim);
  if (status != Status::ok) return status;
  if (table.size() % dim != 0) return Status::bad_length;
  const std::size_t positions = table.size() / dim;
  const bool fits = first_position < positions && rows <= positions - first_position;
  return fits ? Status::ok : Status::bad_position;
}

}  // namespace

Status add_learned_positions(std::span<const float> table, MutableMatrix x, std::uint32_t rows, std::uint32_t dim,
                             std::uint32_t first_position) noexcept {
  const Status status = check_positions(table, x, rows, dim, first_position);
  if (status != Status::ok) return status;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const float* const source = table.data() + (std::size_t{first_position} + row) * dim;
    float* const target = x.row(0, row);
    for (std::uint32_t column = 0; column < dim; ++column) target[column] += source[column];
  }
  return Status::ok;
}

Status embedding_lookup(std::span<const float> table, std::uint32_t dim, std::span<const std::uint32_t> tokens,
                        MutableMatrix x) noexcept {
  const Status status = check(table, dim, tokens, x);
  if (status != Status::ok) return status;
  for (std::size_t row = 0; row < tokens.size(); ++row) {
    const float* const source = table.data() + std::size_t{tokens[row]} * dim;
    float* const target = x.row(0, row);
    for (std::uint32_t column = 0; column < dim; ++column) target[column] = source[column];
  }
  return Status::ok;
}

}  // namespace heed
