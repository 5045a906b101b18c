// SPDX-License-Identifier: MIT
#include "common/validation.hpp"

#include <port.hpp>

namespace heed::detail {
namespace {

/// |stride|
[[nodiscard]] std::size_t distance_of(const Extent& extent) noexcept {
  const auto stride = static_cast<std::size_t>(extent.stride);
  return extent.stride < 0 ? std::size_t{0} - stride : stride;
}

/// Elements from end to end of the rows and of those dimensions whose strides are at most `step`: the sum of `dim` and
/// every (count - 1) * |stride|. SIZE_MAX where that does not fit. Out of line: three copies of it would be unrolled.
[[nodiscard, gnu::noinline]] std::size_t covered(const Extent* extents, std::size_t count, std::uint32_t dim,
                                                 std::size_t step) noexcept {
  std::size_t sum = dim;
  for (const Extent& extent : std::span(extents, count)) {
    const std::size_t distance = distance_of(extent);
    if (extent.count <= 1 || distance > step) continue;
    std::size_t product = 0;
    if (port::multiply_overflows(distance, std::size_t{extent.count - 1}, product) ||
        __builtin_add_overflow(sum, product, &sum)) {
      return SIZE_MAX;
    }
  }
  return sum;
}

/// Whether no two elements share an address: each dimension steps over all that the rows and the dimensions of smaller
/// strides cover. The extents fit the address space, so that no sum overflows.
[[nodiscard]] bool steps_over(const Extent (&extents)[3], std::uint32_t dim) noexcept {
  if (dim == 0) return true;
  for (const Extent& extent : extents) {
    const std::size_t step = distance_of(extent);
    if (extent.count > 1 && covered(extents, 3, dim, step) > extent.count * step) return false;
  }
  return true;
}

}  // namespace

Status check_memories(const UsedMemory (&memories)[3]) noexcept {
  for (const UsedMemory& one : memories) {
    const Status status = check_memory({one.data, one.size}, one.bytes);
    if (status != Status::ok) return status;
    for (const UsedMemory* other = memories; other != &one; ++other) {
      const auto begin = reinterpret_cast<std::uintptr_t>(one.data);
      const auto other_begin = reinterpret_cast<std::uintptr_t>(other->data);
      if (begin - other_begin < other->bytes || other_begin - begin < one.bytes) return Status::overlap;
    }
  }
  return Status::ok;
}

Status check_input(const void* data, const std::span<const Extent>& extents, std::uint32_t dim) noexcept {
  if (data == nullptr) return Status::null_pointer;
  return covered(extents.data(), extents.size(), dim, SIZE_MAX) <= PTRDIFF_MAX / sizeof(float) ? Status::ok
                                                                                               : Status::bad_stride;
}

Status check_input(const ConstTensor& tensor, std::uint32_t batch, std::uint32_t heads, std::uint32_t rows,
                   std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  return check_input(tensor.data, extents, dim);
}

Status check_output(const MutableTensor& tensor, std::uint32_t batch, std::uint32_t heads, std::uint32_t rows,
                    std::uint32_t dim) noexcept {
  const Extent extents[] = {{batch, tensor.batch_stride}, {heads, tensor.head_stride}, {rows, tensor.row_stride}};
  const Status status = check_input(tensor.data, extents, dim);
  return status != Status::ok || steps_over(extents, dim) ? status : Status::bad_stride;
}

Status check_input(const ConstMatrix& matrix, std::uint32_t batch, std::uint32_t rows, std::uint32_t dim) noexcept {
  return check_input(ConstTensor{matrix.data, matrix.batch_stride, 0, matrix.row_stride}, batch, 1, rows, dim);
}

Status check_output(const MutableMatrix& matrix, std::uint32_t batch, std::uint32_t rows, std::uint32_t dim) noexcept {
  return check_output(MutableTensor{matrix.data, matrix.batch_stride, 0, matrix.row_stride}, batch, 1, rows, dim);
}

}  // namespace heed::detail
