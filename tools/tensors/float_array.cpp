// SPDX-License-Identifier: MIT
#include "tensors/float_array.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::uint64_t product_without_zeros(const Shape& shape, std::uint64_t factor, const std::string& what) {
  constexpr std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t product = factor;
  for (const std::uint64_t size : shape) {
    if (size == 0) continue;
    if (product > limit / size) throw Failure(what + ": shape " + describe(shape) + " is too large");
    product *= size;
  }
  return product;
}

}  // namespace

std::string describe(const Shape& shape) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (axis != 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + "]";
}

std::uint64_t byte_count(const Shape& shape, std::uint64_t element_bytes, const std::string& what) {
  const std::uint64_t bytes = product_without_zeros(shape, element_bytes, what);
  return std::find(shape.begin(), shape.end(), 0U) == shape.end() ? bytes : 0;
}

std::uint64_t claimed_bytes(const Shape& shape, std::uint64_t element_bytes, const std::string& what) {
  constexpr std::uint64_t most_without_data = std::uint64_t{1} << 24;
  const std::uint64_t bytes = byte_count(shape, element_bytes, what);
  if (bytes == 0 && product_without_zeros(shape, 1, what) > most_without_data) {
    throw Failure(what + ": shape " + describe(shape) + " has no elements, and its other sizes are too large for that");
  }
  return bytes;
}

FloatArray zeros(Shape shape, const std::string& what) {
  const std::uint64_t bytes = byte_count(shape, sizeof(float), what);
  return {std::move(shape), std::vector<float>(bytes / sizeof(float))};
}

std::uint32_t to_size(std::size_t size, const std::string& what) {
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    throw Failure(what + ": " + std::to_string(size) + " is too large");
  }
  return static_cast<std::uint32_t>(size);
}

}  // namespace heed::tools
