// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tensors/float_array.hpp"

namespace heed::tools {

/// A dense row-major array of whole numbers.
struct IntegerArray {
  Shape shape;
  std::vector<std::int64_t> values;
};

/// A dense row-major mask: truth values, or numbers to be added to scores.
struct NpyMask {
  Shape shape;
  std::vector<std::uint8_t> truth;
  std::vector<float> added;
  bool is_bool = false;
};

/// A .npy file of float32, float64, float16 or bfloat16 in C or Fortran order, as float32 in C order.
[[nodiscard]] FloatArray read_npy(const std::filesystem::path& file);

/// The same, or a file of bool or uint8.
[[nodiscard]] NpyMask read_npy_mask(const std::filesystem::path& file);

/// Whether the elements of a .npy file are int32 or int64.
[[nodiscard]] bool npy_holds_integers(const std::filesystem::path& file);

/// A .npy file of int32 or int64.
[[nodiscard]] IntegerArray read_npy_integers(const std::filesystem::path& file);

/// The same from the bytes of a file of this name.
[[nodiscard]] FloatArray read_npy(std::string_view bytes, const std::string& name);
[[nodiscard]] NpyMask read_npy_mask(std::string_view bytes, const std::string& name);
[[nodiscard]] IntegerArray read_npy_integers(std::string_view bytes, const std::string& name);

/// The bytes of a .npy file.
[[nodiscard]] std::string npy_bytes(const FloatArray& array);

/// The bytes of a .npy file of int32 [tokens].
[[nodiscard]] std::string npy_bytes(const std::vector<std::uint32_t>& tokens);

}  // namespace heed::tools
