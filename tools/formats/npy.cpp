// SPDX-License-Identifier: MIT
#include "formats/npy.hpp"

#include <utility>
#include <xtensor/xnpy.hpp>

#include "formats/files.hpp"
#include "formats/half_floats.hpp"
#include "formats/npy_file.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

template <class Element, class Convert>
FloatArray converted(const NpyFile& npy, Convert convert) {
  FloatArray array{npy.shape, {}};
  for (const Element element : elements<Element>(npy)) array.values.push_back(convert(element));
  return array;
}

bool holds_floats(const NpyFile& npy) {
  return npy.type.find('f') != std::string::npos || npy.type == bfloat16_type;
}

FloatArray floats_of(const NpyFile& npy) {
  if (npy.type == "<f4") return {npy.shape, elements<float>(npy)};
  if (npy.type == "<f2") return converted<std::uint16_t>(npy, from_float16);
  if (npy.type == bfloat16_type) return converted<std::uint16_t>(npy, from_bfloat16);
  return converted<double>(npy, [](double value) { return static_cast<float>(value); });
}

[[noreturn]] void refuse(const NpyFile& npy, const std::string& name, const char* needed) {
  throw Failure(name + ": element type " + npy.type + " where " + needed + " is needed");
}

}  // namespace

FloatArray read_npy(std::string_view bytes, const std::string& name) {
  const NpyFile npy = parse_npy(bytes, name);
  if (!holds_floats(npy)) refuse(npy, name, "float32, float64, float16 or bfloat16");
  return floats_of(npy);
}

NpyMask read_npy_mask(std::string_view bytes, const std::string& name) {
  const NpyFile npy = parse_npy(bytes, name);
  NpyMask mask;
  if (holds_floats(npy)) {
    FloatArray array = floats_of(npy);
    mask = {std::move(array.shape), {}, std::move(array.values), false};
  } else {
    if (npy.type != "|b1" && npy.type != "|u1") refuse(npy, name, "bool, uint8 or a float type");
    mask = {npy.shape, elements<std::uint8_t>(npy), {}, true};
  }
  return mask;
}

bool npy_holds_integers(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  const NpyFile npy = parse_npy(bytes, file.string());
  return npy.type == "<i4" || npy.type == "<i8";
}

IntegerArray read_npy_integers(std::string_view bytes, const std::string& name) {
  const NpyFile npy = parse_npy(bytes, name);
  if (npy.type == "<i8") return {npy.shape, elements<std::int64_t>(npy)};
  if (npy.type != "<i4") refuse(npy, name, "int32 or int64");
  IntegerArray array{npy.shape, {}};
  for (const std::int32_t value : elements<std::int32_t>(npy)) array.values.push_back(value);
  return array;
}

FloatArray read_npy(const std::filesystem::path& file) {
  return read_npy(read_file(file), file.string());
}

NpyMask read_npy_mask(const std::filesystem::path& file) {
  return read_npy_mask(read_file(file), file.string());
}

IntegerArray read_npy_integers(const std::filesystem::path& file) {
  return read_npy_integers(read_file(file), file.string());
}

std::string npy_bytes(const FloatArray& array) {
  return xt::dump_npy(xt::adapt<xt::layout_type::row_major>(array.values, array.shape));
}

std::string npy_bytes(const std::vector<std::uint32_t>& tokens) {
  const std::vector<std::int32_t> values(tokens.begin(), tokens.end());
  return xt::dump_npy(xt::adapt<xt::layout_type::row_major>(values, Shape{values.size()}));
}

}  // namespace heed::tools
