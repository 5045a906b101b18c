// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "float_array.hpp"

namespace heed::tools {

/// A .npy file of float32 or float64 in C or Fortran order, as float32 in C order.
[[nodiscard]] FloatArray read_npy(const std::filesystem::path& file);

/// A .npy file of int32 or int64 with one length, 0..limit, per batch entry.
[[nodiscard]] std::vector<std::uint32_t> read_npy_lengths(const std::filesystem::path& file, std::size_t batch,
                                                          std::uint32_t limit);

/// The bytes of a .npy file.
[[nodiscard]] std::string npy_bytes(const FloatArray& array);

}  // namespace heed::tools
