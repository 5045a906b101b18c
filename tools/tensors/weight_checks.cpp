// SPDX-License-Identifier: MIT
#include "tensors/weight_checks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "support/failure.hpp"

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

void require_kept(std::span<const float> matrix, DataType type, const std::string& what) {
  const Limit limit = limit_of(type);
  float greatest = 0.0F;
  for (const float value : matrix) greatest = std::max(greatest, std::fabs(value));
  if (greatest == 0.0F || greatest > limit.above) return;
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
