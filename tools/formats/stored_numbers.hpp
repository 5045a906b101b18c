// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/input_file.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// How a file stores numbers: as blocks of equal size, one after the other.
struct NumberFormat {
  const char* name;
  std::uint32_t numbers;  ///< of a block
  std::uint32_t bytes;    ///< of a block
  void (*decode)(const char* block, float* numbers);
};

extern const NumberFormat float64_numbers;  ///< rounded to float32; all others are exact
extern const NumberFormat float32_numbers;
extern const NumberFormat float16_numbers;
extern const NumberFormat bfloat16_numbers;

/// A tensor in a file: whole blocks, in row-major order.
struct StoredNumbers {
  const NumberFormat* format = nullptr;
  Shape shape;
  std::string_view data;
};

/// Is shown consecutive numbers of a tensor, and the place of the first.
using SeeNumbers = std::function<void(std::size_t first, std::span<const float> numbers)>;

/// Shows all numbers of a tensor, a few at a time. Of a file that is mapped, no more than these few are in memory.
void read_numbers(const StoredNumbers& stored, const MappedFile* file, const SeeNumbers& see);

/// All of them.
[[nodiscard]] FloatArray read_numbers(const StoredNumbers& stored, const MappedFile* file);

}  // namespace heed::tools
