// SPDX-License-Identifier: MIT
//
// DataType in words, and what a program names to have a type.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heed/format.hpp"
#include "heed/linear.hpp"
#include "support/failure.hpp"

namespace heed::tools {

/// In their order.
inline constexpr std::array<std::string_view, 12> data_type_words{
    "float32",          "float16",     "bfloat16",      "int8",  "int8_groups",
    "int4_groups",      "int4",        "int8_channels", "int16", "int8_multipliers",
    "int4_multipliers", "int8_integer"};

[[nodiscard]] inline std::string to_word(DataType type) {
  return std::string(data_type_words.at(static_cast<std::size_t>(type)));
}

/// The type of a word, of those that `takes` does; a Failure begins with `what` and lists them.
[[nodiscard]] inline DataType parse_data_type(const std::string& what, std::string_view word,
                                              bool (*takes)(DataType) noexcept) {
  std::string known;
  for (std::size_t i = 0; i < data_type_words.size(); ++i) {
    const auto type = static_cast<DataType>(i);
    if (!takes(type)) continue;
    if (word == data_type_words[i]) return type;
    known += (known.empty() ? "" : ", ") + to_word(type);
  }
  throw Failure(what + ": one of " + known + " is needed");
}

/// A format with its name in C++. float32 needs none.
struct NamedFormat {
  const Format* format = nullptr;
  const char* name = "";
};

/// What multiplies rows of a type by weights of a type, or what has the `products` of a plan.
[[nodiscard]] inline NamedFormat weight_format(std::uint32_t products) {
  if (products == detail::products_of(DataType::int8, DataType::int8)) {
    return {&int8_integer_weights, "int8_integer_weights"};
  }
  if ((products & detail::by_mixed_rows) != 0) return {&int8_mixed_weights, "int8_mixed_weights"};
  switch (static_cast<DataType>(products & 0xFFU)) {
    case DataType::float16: return {&float16_weights, "float16_weights"};
    case DataType::bfloat16: return {&bfloat16_weights, "bfloat16_weights"};
    case DataType::int8: return {&int8_weights, "int8_weights"};
    case DataType::int8_groups: return {&int8_group_weights, "int8_group_weights"};
    case DataType::int4_groups: return {&int4_group_weights, "int4_group_weights"};
    case DataType::int8_multipliers: return {&int8_multiplier_weights, "int8_multiplier_weights"};
    case DataType::int4_multipliers: return {&int4_multiplier_weights, "int4_multiplier_weights"};
    default: break;
  }
  return {};
}

[[nodiscard]] inline NamedFormat weight_format(DataType type, DataType row_type) {
  return weight_format(detail::products_of(type, row_type));
}

[[nodiscard]] inline NamedFormat cache_format(DataType type) {
  switch (type) {
    case DataType::float16: return {&float16_cache, "float16_cache"};
    case DataType::bfloat16: return {&bfloat16_cache, "bfloat16_cache"};
    case DataType::int8: return {&int8_cache, "int8_cache"};
    case DataType::int4: return {&int4_cache, "int4_cache"};
    case DataType::int8_channels: return {&int8_channel_keys, "int8_channel_keys"};
    case DataType::int8_integer: return {&int8_integer_cache, "int8_integer_cache"};
    default: break;
  }
  return {};
}

/// What the command names for a cache of these types: their formats, and rings and pages, whether it has them or not.
[[nodiscard]] inline KvStorage kv_storage(DataType key, DataType value, DataType cross = DataType::float32) {
  return {.formats = {cache_format(key).format, cache_format(value).format, cache_format(cross).format},
          .ring = &kv_ring_with_positions,
          .pages = &kv_pages};
}

}  // namespace heed::tools
