// SPDX-License-Identifier: MIT
//
// Embeddings, and positions added to them.
#include "heed/positions.hpp"

#include <cstddef>
#include <cstdint>
#include <port.hpp>
#include <span>

#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/detail/linked_code.hpp"
#include "heed/detail/phase.hpp"

namespace heed {

constinit const detail::LinkedCode detail::sinusoid_code;

namespace {

/// Frequencies whose steps are held at a time: in 128 bytes of stack, and in one or two cache lines of every row.
constexpr std::uint32_t block_frequencies = 16;

[[nodiscard]] Status check(const MutableMatrix& x, std::uint32_t rows, std::uint32_t dim, std::uint32_t first_position,
                           SinusoidLayout order, float base) noexcept {
  if (rows == 0 || dim == 0) return Status::zero_dimension;
  if (dim > max_dimension || rows > max_rows || first_position > UINT32_MAX - (rows - 1)) return Status::too_large;
  const Status status = detail::check_output(x, 1, rows, dim);
  if (status != Status::ok) return status;
  if (!(base > 1.0F && detail::is_finite(base))) return Status::bad_base;
  if (order != SinusoidLayout::interleaved && order != SinusoidLayout::halves) return Status::bad_option;
  return Status::ok;
}

}  // namespace

Status add_sinusoidal_positions(MutableMatrix x, std::uint32_t rows, std::uint32_t dim, std::uint32_t first_position,
                                SinusoidLayout order, float base) noexcept {
  const Status status = check(x, rows, dim, first_position, order, base);
  if (status != Status::ok) return status;

  const detail::Frequencies frequencies = detail::frequencies(base, dim);
  const bool interleaved = order == SinusoidLayout::interleaved;
  const std::uint32_t sines = dim / 2 + dim % 2;
  const std::uint32_t to_next = interleaved ? 2 : 1;
  const std::uint32_t to_cosine = interleaved ? 1 : sines;
  for (std::uint32_t first = 0; first < sines; first += block_frequencies) {
    const std::uint32_t count = sines - first < block_frequencies ? sines - first : block_frequencies;
    detail::Phase steps[block_frequencies];
    for (std::uint32_t j = 0; j < count; ++j) steps[j] = frequencies.step(first + j);
    for (std::uint32_t row = 0; row < rows; ++row) {
      float* const values = x.row(0, row);
      for (std::uint32_t j = 0; j < count; ++j) {
        const detail::SineCosine point = detail::sine_cosine(detail::phase_at(steps[j], first_position + row));
        const std::uint32_t column = (first + j) * to_next;
        values[column] = port::compact_sum(values[column], point.sine);
        if (2 * (first + j) + 1 < dim) {
          values[column + to_cosine] =
              port::compact_sum(values[column + to_cosine], point.cosine);  // an odd dim has one sine more
        }
      }
    }
  }
  return Status::ok;
}

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
