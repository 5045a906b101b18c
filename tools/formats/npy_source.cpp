// SPDX-License-Identifier: MIT
#include "formats/npy_source.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

constexpr std::size_t elements_per_line = 8;

/// The lines of a list of elements.
template <class Element, class Text>
std::string lines_of(const std::vector<Element>& elements, Text text) {
  std::string lines;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    lines += i % elements_per_line == 0 ? "  " : " ";
    lines += text(i) + ",";
    if (i % elements_per_line == elements_per_line - 1 || i + 1 == elements.size()) lines += '\n';
  }
  return lines;
}

std::string float_text(float value, const std::string& where) {
  if (std::isnan(value)) throw Failure(where + " is NaN, whose bits C has no text for");
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "INFINITY";
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), std::abs(value), std::chars_format::hex);
  static_cast<void>(error);  // the longest, 0x1.fffffep-126 or 0x0.000002p-126, has 14 characters
  return sign + "0x" + std::string(digits, end) + "F";
}

/// INT32_MIN itself is no literal of int32_t: its digits without the sign are too large.
std::string integer_text(std::int64_t value, const std::string& where) {
  constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
  if (value < least || value > std::numeric_limits<std::int32_t>::max()) {
    throw Failure(where + " is " + std::to_string(value) + ", more than an int32_t holds");
  }
  return value == least ? "(-2147483647 - 1)" : std::to_string(value);
}

std::string shape_text(const std::string& name, const Shape& shape, std::size_t count) {
  std::string text = "enum {\n";
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    text += "  " + name + "_dim" + std::to_string(axis) + " = " + std::to_string(shape[axis]) + ",\n";
  }
  return text + "  " + name + "_count = " + std::to_string(count) + "\n};\n";
}

}  // namespace

CSource npy_source(const std::string& name, const std::filesystem::path& file) {
  const auto where = [&](std::size_t i) { return file.string() + ": element " + std::to_string(i); };
  CSource source;
  source.name = name;
  Shape shape;
  if (npy_holds_integers(file)) {
    const IntegerArray array = read_npy_integers(file);
    shape = array.shape;
    source.type = "int32_t";
    source.includes = "#include <stdint.h>\n";
    source.count = array.values.size();
    source.elements = lines_of(array.values, [&](std::size_t i) { return integer_text(array.values[i], where(i)); });
  } else {
    const FloatArray array = read_npy(file);
    shape = array.shape;
    source.type = "float";
    source.count = array.values.size();
    source.elements = lines_of(array.values, [&](std::size_t i) { return float_text(array.values[i], where(i)); });
    if (source.elements.find("INFINITY") != std::string::npos) {
      constexpr std::string_view others = " drem finite gamma j0 j1 jn scalb signgam significand y0 y1 yn ";
      if (others.find(" " + name + " ") != std::string_view::npos) {
        throw Failure(name + ": a name of C's <math.h>, which the array's infinities need");
      }
      source.includes = "#include <math.h>\n";
    }
  }
  if (source.count == 0) throw Failure(file.string() + ": shape " + describe(shape) + " has no elements");
  if (source.count > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Failure(file.string() + ": shape " + describe(shape) + " is too large for an array of C");
  }
  source.comment = "Made by `heed array`: " + source.type + " " + describe(shape) + ".";
  source.declarations = shape_text(name, shape, source.count);
  return source;
}

}  // namespace heed::tools
