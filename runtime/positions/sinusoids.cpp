// SPDX-License-Identifier: MIT
#include <cstdint>

#include "common/validation.hpp"
#include "heed/arena.hpp"
#include "heed/detail/phase.hpp"
#include "heed/positions.hpp"

namespace heed {
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
        values[column] += point.sine;
        if (2 * (first + j) + 1 < dim) values[column + to_cosine] += point.cosine;  // an odd dim has one sine more
      }
    }
  }
  return Status::ok;
}

}  // namespace heed
