// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>

#include "tensors/float_array.hpp"

namespace heed::tools {

/// What ml_dtypes writes for bfloat16, which .npy has no name for. Two bytes of no type at all are "|V2" instead.
inline constexpr std::string_view bfloat16_type = "<V2";

/// The bytes of a .npy file whose header and data have been found to agree.
struct NpyFile {
  std::string_view bytes;
  std::size_t data_begin = 0;
  std::string type;  ///< "<f4", for example
  bool fortran_order = false;
  Shape shape;

  [[nodiscard]] const char* data() const { return bytes.data() + data_begin; }
};

/// Checks the bytes of a .npy file of a type that the commands know, which stay where they are; a Failure begins with
/// the file's name.
[[nodiscard]] NpyFile parse_npy(std::string_view bytes, const std::string& name);

/// The elements in C order, whatever the order in the file.
template <class Element>
std::vector<Element> elements(const NpyFile& npy) {
  std::vector<Element> stored((npy.bytes.size() - npy.data_begin) / sizeof(Element));
  if (!stored.empty()) std::memcpy(stored.data(), npy.data(), stored.size() * sizeof(Element));
  if (!npy.fortran_order) return stored;
  const auto columns_first = xt::adapt<xt::layout_type::column_major>(stored, npy.shape);
  const xt::xarray<Element, xt::layout_type::row_major> bshd = columns_first;
  return {bshd.begin(), bshd.end()};
}

}  // namespace heed::tools
