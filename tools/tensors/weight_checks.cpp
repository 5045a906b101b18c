// SPDX-License-Identifier: MIT
#include "tensors/weight_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>

#include "heed/format.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"

namespace heed::tools {

namespace {

struct Limit {
  float above;  ///< a matrix whose magnitudes are all at most this becomes zeros
  float below;  ///< magnitudes from here on become infinite
  const char* name;
};

/// Half of the least number of a format, and the largest one and half of its last bit, times what the integers of a
/// group are multiplied by.
Limit limit_of(DataType type) {
  constexpr float float16_least = 0x1p-25F;
  constexpr float float16_limit = 65520.0F;
  switch (type) {
    case DataType::float16: return {float16_least, float16_limit, "float16"};
    case DataType::bfloat16: return {0x1p-134F, 0x1.FFp127F, "bfloat16"};
    case DataType::int8_groups: return {float16_least * 127.0F, float16_limit * 127.0F, "int8_groups"};
    case DataType::int4_groups: return {float16_least * 8.0F, float16_limit * 8.0F, "int4_groups"};
    default: break;
  }
  return {0.0F, std::numeric_limits<float>::infinity(), "float32"};
}

float greatest_of(std::span<const float> numbers) {
  float greatest = 0.0F;
  for (const float value : numbers) greatest = std::max(greatest, std::fabs(value));
  return greatest;
}

void tell_lost_groups(std::span<const float> matrix, std::size_t inputs, const Limit& limit, const std::string& what) {
  std::size_t groups = 0;
  std::size_t lost = 0;
  for (std::size_t row = 0; row < matrix.size(); row += inputs) {
    for (std::size_t first = 0; first < inputs; first += scale_group_size, ++groups) {
      const std::size_t count = std::min<std::size_t>(scale_group_size, inputs - first);
      const float greatest = greatest_of(matrix.subspan(row + first, count));
      if (greatest != 0.0F && greatest <= limit.above) ++lost;
    }
  }
  if (lost == 0) return;
  char numbers[112];
  std::snprintf(numbers, sizeof numbers, ": %zu of %zu groups, of numbers up to %.3g, become 0 in %s", lost, groups,
                static_cast<double>(limit.above), limit.name);
  std::cerr << printable(what) << numbers << '\n';
}

std::string element(const Shape& shape, std::size_t at) {
  Shape place(shape.size());
  for (std::size_t i = shape.size(); i-- > 0; at /= shape[i]) place[i] = at % shape[i];
  return describe(place);
}

}  // namespace

void require_storable(const FloatArray& array, DataType type, const std::string& what, std::size_t first) {
  const Limit limit = limit_of(type);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const float value = array.values[i];
    if (std::fabs(value) < limit.below) continue;
    const std::string where = what + ", element " + element(array.shape, first + i);
    if (!std::isfinite(value)) throw Failure(where + ": " + (std::isnan(value) ? "not a number" : "infinite"));
    throw Failure(where + ": " + std::to_string(value) + " is too large for " + limit.name);
  }
}

void require_kept(std::span<const float> matrix, std::size_t inputs, DataType type, const std::string& what) {
  const Limit limit = limit_of(type);
  const float greatest = greatest_of(matrix);
  if (greatest == 0.0F) return;
  if (greatest > limit.above) {
    if (detail::has_groups(type)) tell_lost_groups(matrix, inputs, limit, what);
    return;
  }
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, ": the greatest is %.3g, and %s has no number but 0 up to %.3g", greatest,
                limit.name, limit.above);
  throw Failure(what + numbers + ": float32, bfloat16 and int8 hold it");
}

void require_plain_order(const std::string& tensor, const std::string& what) {
  for (const char* interleaved : {"query_key_value", "wqkv"}) {
    if (tensor.find(interleaved) == std::string::npos) continue;
    throw Failure(what + ": " + interleaved +
                  " has the queries, keys and values of each head together, and all queries, all keys, all values are "
                  "needed");
  }
}

}  // namespace heed::tools
