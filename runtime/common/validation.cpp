// SPDX-License-Identifier: MIT
#include "common/validation.hpp"

namespace heed::detail {
namespace {

/// |stride|
[[nodiscard]] std::size_t distance_of(const Extent& extent) noexcept {
  const auto stride = static_cast<std::size_t>(extent.stride);
  return extent.stride < 0 ? std::size_t{0} - stride : stride;
}

/// Whether every element lies within the address space: the sum of (count - 1) * |stride|, plus `dim`, must not
/// exceed PTRDIFF_MAX bytes.
[[nodiscard]] bool fits_address_space(std::span<const Extent> extents, std::uint32_t dim) noexcept {
  std::size_t left = PTRDIFF_MAX / sizeof(float);
  if (dim > left) return false;
  left -= dim;
  for (const Extent& extent : extents) {
    const std::size_t distance = distance_of(extent);
    const std::size_t steps = extent.count == 0 ? 0 : extent.count - 1;
    std::size_t product = 0;
    if (__builtin_mul_overflow(distance, steps, &product) || product > left) return false;
    left -= product;
  }
  return true;
}

/// Whether no two elements share an address: each dimension steps over all that the rows and the dimensions of smaller
/// strides cover. The extents fit the address space, so that no sum overflows.
[[nodiscard]] bool steps_over(std::span<const Extent> extents, std::uint32_t dim) noexcept {
  if (dim == 0) return true;
  for (const Extent& extent : extents) {
    if (extent.count <= 1) continue;
    const std::size_t step = distance_of(extent);
    std::size_t covered = dim;
    for (const Extent& other : extents) {
      if (&other != &extent && other.count > 1 && distance_of(other) <= step) {
        covered += (other.count - 1) * distance_of(other);
      }
    }
    if (step < covered) return false;
  }
  return true;
}

}  // namespace

Status check_input(const void* data, std::span<const Extent> extents, std::uint32_t dim) noexcept {
  if (data == nullptr) return Status::null_pointer;
  return fits_address_space(extents, dim) ? Status::ok : Status::bad_stride;
}

Status check_input(const ConstTensor& tensor, std::uint32_t batch, std::uint32_t heads, std::uint32_t rows,
                   std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  return check_input(tensor.data, extents, dim);
}

Status check_output(const ConstTensor& tensor, std::uint32_t batch, std::uint32_t heads, std::uint32_t rows,
                    std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  const Status status = check_input(tensor.data, extents, dim);
  return status != Status::ok || steps_over(extents, dim) ? status : Status::bad_stride;
}

Status check_input(const ConstMatrix& matrix, std::uint32_t batch, std::uint32_t rows, std::uint32_t dim) noexcept {
  return check_input(ConstTensor{matrix.data, matrix.batch_stride, 0, matrix.row_stride}, batch, 1, rows, dim);
}

Status check_output(const MutableMatrix& matrix, std::uint32_t batch, std::uint32_t rows, std::uint32_t dim) noexcept {
  return check_output(ConstTensor{matrix.data, matrix.batch_stride, 0, matrix.row_stride}, batch, 1, rows, dim);
}

}  // namespace heed::detail
