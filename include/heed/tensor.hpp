// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "heed/detail/language.hpp"

namespace heed {

/// A float32 tensor [batch, heads, rows, dim] in the caller's memory. The last dimension is contiguous; the other three
/// have a stride each, counted in elements. A stride of 0 repeats the same data along its dimension (inputs only).
template <class Element>
struct Tensor {
  Element* data = nullptr;
  std::ptrdiff_t batch_stride = 0;
  std::ptrdiff_t head_stride = 0;
  std::ptrdiff_t row_stride = 0;

  [[nodiscard]] constexpr Element* row(std::size_t batch, std::size_t head, std::size_t row) const noexcept {
    return data + static_cast<std::ptrdiff_t>(batch) * batch_stride + static_cast<std::ptrdiff_t>(head) * head_stride +
           static_cast<std::ptrdiff_t>(row) * row_stride;
  }

  constexpr operator Tensor<const Element>() const noexcept { return {data, batch_stride, head_stride, row_stride}; }
};

using ConstTensor = Tensor<const float>;
/// An output. Each dimension of more than one step must step over all that the dimensions of smaller strides cover.
using MutableTensor = Tensor<float>;

/// A float32 tensor [batch, rows, dim], with strides in elements and a contiguous last dimension.
template <class Element>
struct Matrix {
  Element* data = nullptr;
  std::ptrdiff_t batch_stride = 0;
  std::ptrdiff_t row_stride = 0;

  [[nodiscard]] constexpr Element* row(std::size_t batch, std::size_t row) const noexcept {
    return data + static_cast<std::ptrdiff_t>(batch) * batch_stride + static_cast<std::ptrdiff_t>(row) * row_stride;
  }

  constexpr operator Matrix<const Element>() const noexcept { return {data, batch_stride, row_stride}; }
};

using ConstMatrix = Matrix<const float>;
/// An output, likewise.
using MutableMatrix = Matrix<float>;

/// Dense [batch, rows, dim].
template <class Element>
[[nodiscard]] constexpr Matrix<Element> dense(Element* data, std::size_t rows, std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(rows * dim), static_cast<std::ptrdiff_t>(dim)};
}

/// Dense [batch, heads, rows, dim].
template <class Element>
[[nodiscard]] constexpr Tensor<Element> bhsd(Element* data, std::size_t heads, std::size_t rows,
                                             std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(heads * rows * dim), static_cast<std::ptrdiff_t>(rows * dim),
          static_cast<std::ptrdiff_t>(dim)};
}

/// Dense [batch, rows, heads, dim]: what a projection of [batch, rows, heads * dim] writes; no copy is needed.
template <class Element>
[[nodiscard]] constexpr Tensor<Element> bshd(Element* data, std::size_t heads, std::size_t rows,
                                             std::size_t dim) noexcept {
  return {data, static_cast<std::ptrdiff_t>(rows * heads * dim), static_cast<std::ptrdiff_t>(dim),
          static_cast<std::ptrdiff_t>(heads * dim)};
}

}  // namespace heed
