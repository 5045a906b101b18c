// SPDX-License-Identifier: MIT
#include "formats/gguf_values.hpp"

#include <charconv>
#include <cmath>
#include <limits>

namespace heed::tools {

namespace {

constexpr std::uint64_t longest_list = 65536;  ///< of a key whose value is kept

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, list, u64, i64, f64 };

/// Bytes of a value of fixed size, or 0.
std::uint64_t value_bytes(std::uint32_t type) {
  switch (type) {
    case u8:
    case i8:
    case boolean: return 1;
    case u16:
    case i16: return 2;
    case u32:
    case i32:
    case f32: return 4;
    case u64:
    case i64:
    case f64: return 8;
    default: return 0;
  }
}

/// The number with the fewest digits that is this float: what was written as 1e-05 is that again.
nlohmann::json shortest(float value) {
  if (!std::isfinite(value)) return static_cast<double>(value);
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  double number = 0.0;
  std::from_chars(digits, end, number);
  return number;
}

nlohmann::json take_scalar(GgufCursor& cursor, std::uint32_t type, const std::string& what) {
  switch (type) {
    case u8: return cursor.number<std::uint8_t>(what);
    case i8: return cursor.number<std::int8_t>(what);
    case u16: return cursor.number<std::uint16_t>(what);
    case i16: return cursor.number<std::int16_t>(what);
    case u32: return cursor.number<std::uint32_t>(what);
    case i32: return cursor.number<std::int32_t>(what);
    case u64: return cursor.number<std::uint64_t>(what);
    case i64: return cursor.number<std::int64_t>(what);
    case f32: return shortest(cursor.number<float>(what));
    case f64: return cursor.number<double>(what);
    default: break;
  }
  const auto flag = cursor.number<std::uint8_t>(what);
  if (flag > 1) throw cursor.refused(what, std::to_string(flag) + " is neither true nor false");
  return flag == 1;
}

/// A value that is kept has texts of characters that can be shown.
nlohmann::json take_letters(GgufCursor& cursor, bool kept, const std::string& what) {
  const std::string_view taken = cursor.text(what);
  if (!kept) return nullptr;
  for (const char character : taken) {
    if (character < 0x20 || character > 0x7E) throw cursor.refused(what, "it has a byte that is no letter");
  }
  return std::string(taken);
}

nlohmann::json take_list(GgufCursor& cursor, bool kept, const std::string& what) {
  const auto type = cursor.number<std::uint32_t>(what + ", type of its elements");
  const auto count = cursor.number<std::uint64_t>(what + ", length");
  const std::uint64_t each = value_bytes(type);
  if (each == 0 && type != text) {
    throw cursor.refused(what, "a list of type " + std::to_string(type) + " is not supported");
  }
  if (kept && count > longest_list) throw cursor.refused(what, "a list of " + std::to_string(count) + " is too long");
  nlohmann::json values = nlohmann::json::array();
  if (!kept && each != 0) {
    if (count > std::numeric_limits<std::uint64_t>::max() / each) throw cursor.refused(what, "it is too long");
    static_cast<void>(cursor.take(count * each, what));
    return values;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    nlohmann::json value = type == text ? take_letters(cursor, kept, what) : take_scalar(cursor, type, what);
    if (kept) values.push_back(std::move(value));
  }
  return values;
}

}  // namespace

nlohmann::json take_gguf_value(GgufCursor& cursor, std::uint32_t type, bool kept, const std::string& what) {
  if (type == text) return take_letters(cursor, kept, what);
  if (type == list) return take_list(cursor, kept, what);
  if (value_bytes(type) != 0) return take_scalar(cursor, type, what);
  throw cursor.refused(what, "there is no type " + std::to_string(type) + " of values");
}

std::string_view gguf_text(const GgufValue& value, const std::string& name, const std::string& what) {
  GgufCursor cursor(name, value.bytes);
  if (value.type != text) throw cursor.refused(what, "a text is needed");
  return cursor.text(what);
}

std::vector<std::string_view> gguf_texts(const GgufValue& value, const std::string& name, const std::string& what) {
  GgufCursor cursor(name, value.bytes);
  std::vector<std::string_view> texts;
  if (value.type != list || cursor.number<std::uint32_t>(what) != text) {
    throw cursor.refused(what, "a list of texts is needed");
  }
  const auto count = cursor.number<std::uint64_t>(what);
  for (std::uint64_t i = 0; i < count; ++i) texts.push_back(cursor.text(what));
  return texts;
}

std::vector<double> gguf_list(const GgufValue& value, const std::string& name, const std::string& what) {
  GgufCursor cursor(name, value.bytes);
  const std::uint32_t type = value.type == list ? cursor.number<std::uint32_t>(what) : text;
  if (type == text || type == boolean || value_bytes(type) == 0) {
    throw cursor.refused(what, "a list of numbers is needed");
  }
  const auto count = cursor.number<std::uint64_t>(what);
  std::vector<double> numbers;
  for (std::uint64_t i = 0; i < count; ++i) numbers.push_back(take_scalar(cursor, type, what).get<double>());
  return numbers;
}

}  // namespace heed::tools
