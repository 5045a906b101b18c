// SPDX-License-Identifier: MIT
//
// Validation shared by the entry points. Kernels trust their arguments; everything a caller can get wrong is found here
// or in the entry point itself, before anything is written.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "heed/arena.hpp"
#include "heed/detail/layout.hpp"
#include "heed/status.hpp"
#include "heed/tensor.hpp"

namespace heed::detail {

[[nodiscard]] inline Status check_memory(std::span<const std::byte> memory, std::size_t bytes) noexcept {
  if (memory.data() == nullptr) return Status::null_pointer;
  if (memory.size() < bytes) return Status::arena_too_small;
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % arena_alignment != 0) return Status::arena_misaligned;
  return Status::ok;
}

/// The cache sequence of a batch entry; null: 0, 1, 2, ...
[[nodiscard]] inline std::uint32_t sequence_of(const std::uint32_t* sequences, std::uint32_t batch) noexcept {
  return sequences != nullptr ? sequences[batch] : batch;
}

[[nodiscard]] inline bool is_finite(float x) noexcept {
  return (std::bit_cast<std::uint32_t>(x) & 0x7F800000U) != 0x7F800000U;
}

/// One dimension of a tensor: how many steps of which stride.
struct Extent {
  std::uint32_t count;
  std::ptrdiff_t stride;
};

/// Whether every element lies within the address space: the sum of (count - 1) * |stride|, and `dim` behind it, must
/// not exceed PTRDIFF_MAX bytes.
[[nodiscard]] inline bool fits_address_space(std::span<const Extent> extents, std::uint32_t dim) noexcept {
  std::size_t left = PTRDIFF_MAX / sizeof(float);
  if (dim > left) return false;
  left -= dim;
  for (const Extent& extent : extents) {
    const auto stride = static_cast<std::size_t>(extent.stride);
    const std::size_t distance = extent.stride < 0 ? std::size_t{0} - stride : stride;
    const std::size_t steps = extent.count == 0 ? 0 : extent.count - 1;
    std::size_t product = 0;
    if (__builtin_mul_overflow(distance, steps, &product) || product > left) return false;
    left -= product;
  }
  return true;
}

/// Whether a dimension with more than one step moves by at least a row, so that writing one does not overwrite another.
[[nodiscard]] inline bool steps_over(const Extent& extent, std::uint32_t dim) noexcept {
  const auto width = static_cast<std::ptrdiff_t>(dim);
  return extent.count <= 1 || extent.stride >= width || extent.stride <= -width;
}

[[nodiscard]] inline Status check_input(const void* data, std::span<const Extent> extents, std::uint32_t dim) noexcept {
  if (data == nullptr) return Status::null_pointer;
  return fits_address_space(extents, dim) ? Status::ok : Status::bad_stride;
}

[[nodiscard]] inline Status check_output(const void* data, std::span<const Extent> extents,
                                         std::uint32_t dim) noexcept {
  for (const Extent& extent : extents) {
    if (!steps_over(extent, dim)) return Status::bad_stride;
  }
  return check_input(data, extents, dim);
}

template <class Element>
[[nodiscard]] Status check_input(const Tensor<Element>& tensor, std::uint32_t batch, std::uint32_t heads,
                                 std::uint32_t rows, std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  return check_input(tensor.data, extents, dim);
}

[[nodiscard]] inline Status check_output(const MutableTensor& tensor, std::uint32_t batch, std::uint32_t heads,
                                         std::uint32_t rows, std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  return check_output(tensor.data, extents, dim);
}

template <class Element>
[[nodiscard]] Status check_input(const Matrix<Element>& matrix, std::uint32_t batch, std::uint32_t rows,
                                 std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, matrix.batch_stride}, {rows, matrix.row_stride}};
  return check_input(matrix.data, extents, dim);
}

[[nodiscard]] inline Status check_output(const MutableMatrix& matrix, std::uint32_t batch, std::uint32_t rows,
                                         std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, matrix.batch_stride}, {rows, matrix.row_stride}};
  return check_output(matrix.data, extents, dim);
}

}  // namespace heed::detail
