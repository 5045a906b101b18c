// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace heed::tools {

using Shape = std::vector<std::size_t>;

/// A dense row-major array of float32.
struct FloatArray {
  Shape shape;
  std::vector<float> values;
};

/// "[2, 4, 16]"
[[nodiscard]] std::string describe(const Shape& shape);

/// Product of the shape's sizes times element_bytes; a Failure that begins with `what` if it exceeds 64 bits, even
/// where a 0 among the sizes makes it 0.
[[nodiscard]] std::uint64_t byte_count(const Shape& shape, std::uint64_t element_bytes, const std::string& what);

/// The same for a shape that a file claims, before memory is set aside for it. Data vouches for sizes only where there
/// is some: those beside a 0 may make no more than 2^24 elements.
[[nodiscard]] std::uint64_t claimed_bytes(const Shape& shape, std::uint64_t element_bytes, const std::string& what);

/// An array of zeros; a Failure that begins with `what` if its size exceeds 64 bits.
[[nodiscard]] FloatArray zeros(Shape shape, const std::string& what);

/// A size as the library takes it; a Failure that begins with `what` if it exceeds 32 bits.
[[nodiscard]] std::uint32_t to_size(std::size_t size, const std::string& what);

}  // namespace heed::tools
