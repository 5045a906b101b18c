// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heed/detail/language.hpp"
#include "heed/heed_types.h"

namespace heed {

/// By what they are made of.
template <class Element>
using Tensor = std::conditional_t<std::is_const_v<Element>, ConstTensor, MutableTensor>;
template <class Element>
using Matrix = std::conditional_t<std::is_const_v<Element>, ConstMatrix, MutableMatrix>;

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
