// SPDX-License-Identifier: MIT
//
// What a stored cache must hold, from the definitions alone and in double precision, and a plain look into its memory.
#pragma once

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "heed/heed.hpp"

namespace heed::test {

inline std::uint32_t bits_of(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

/// x rounded to nearest even to a binary format of `precision` significant bits and least normal exponent `least`.
inline float rounded_to(float x, int precision, int least, double greatest) {
  if (!std::isfinite(x) || x == 0.0F) return x;
  const int exponent = std::max(std::ilogb(x), least);
  const double step = std::ldexp(1.0, exponent - precision + 1);
  const double rounded = std::nearbyint(static_cast<double>(x) / step) * step;
  if (std::fabs(rounded) > greatest) return std::copysign(std::numeric_limits<float>::infinity(), x);
  return std::copysign(static_cast<float>(rounded), x);
}

inline float nearest_half(float x) {
  return rounded_to(x, 11, -14, 65504.0);
}
inline float nearest_bfloat16(float x) {
  return rounded_to(x, 8, -126, 0x1.FEp127);
}

/// The least float with `free_bits` low bits of 0 whose product with `levels` is not below `bound`, found by trying.
inline float least_scale(double bound, double levels, int free_bits) {
  const std::uint32_t step = 1U << free_bits;
  const std::uint32_t near = bits_of(static_cast<float>(bound / levels)) / step;
  std::uint32_t candidate = (near < 3 ? 0 : near - 3) * step;
  while (levels * static_cast<double>(float_of(candidate)) < bound) candidate += step;
  return float_of(candidate);
}

/// One stored number: its float, and for int8 and int4 its scale and q.
struct Stored {
  float dequantized = 0.0F;
  float scale = 0.0F;
  int q = 0;
};

inline Stored with_scale(float x, float scale, int levels) {
  if (std::isnan(scale) || scale == 0.0F) return {scale, scale, 0};
  const int q = static_cast<int>(std::min<float>(
      std::max<float>(std::nearbyint(x / scale), static_cast<float>(-levels)), static_cast<float>(levels)));
  return {static_cast<float>(q * static_cast<double>(scale)), scale, q};
}

inline bool is_integer(DataType storage) {
  return storage == DataType::int8 || storage == DataType::int4 || storage == DataType::int8_channels;
}

/// One token in one head; int8_channels takes the scales of that head.
inline std::vector<Stored> stored_row(DataType storage, const float* row, std::uint32_t dim,
                                      const float* channel_scales = nullptr) {
  std::vector<Stored> result(dim);
  const bool integers = is_integer(storage);
  const std::uint32_t group = storage == DataType::int4 ? 32 : dim;
  const int levels = storage == DataType::int4 ? 7 : 127;
  const int free_bits = storage == DataType::int4 ? 16 : 8;
  for (std::uint32_t first = 0; first < dim; first += group) {
    const std::uint32_t end = std::min(dim, first + group);
    double greatest = 0.0;
    bool finite = true;
    for (std::uint32_t d = first; d < end; ++d) {
      finite = finite && std::isfinite(row[d]);
      greatest = std::max(greatest, std::fabs(static_cast<double>(row[d])));
    }
    float scale = std::numeric_limits<float>::quiet_NaN();
    if (finite && integers) scale = least_scale(greatest, levels, free_bits);
    for (std::uint32_t d = first; d < end; ++d) {
      if (storage == DataType::int8_channels) {
        result[d] = with_scale(row[d], least_scale(channel_scales[d], 1.0, 8), levels);
      } else if (integers) {
        result[d] = with_scale(row[d], scale, levels);
      } else {
        result[d].dequantized = storage == DataType::float16    ? nearest_half(row[d])
                                : storage == DataType::bfloat16 ? nearest_bfloat16(row[d])
                                                                : row[d];
      }
    }
  }
  return result;
}

template <class Element>
Element element_at(const std::byte* from, std::size_t number) {
  Element element;
  std::memcpy(&element, from + number * sizeof element, sizeof element);
  return element;
}

inline float bfloat16_at(const std::byte* from, std::size_t number) {
  return float_of(std::uint32_t{element_at<std::uint16_t>(from, number)} << 16);
}

inline float half_at(const std::byte* from, std::size_t number) {
  const std::uint16_t half = element_at<std::uint16_t>(from, number);
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  float magnitude = std::ldexp(static_cast<float>(fraction + (exponent > 0 ? 1024 : 0)), std::max(exponent, 1) - 25);
  if (exponent == 31) {
    magnitude = fraction != 0 ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  }
  return half >> 15 != 0 ? -magnitude : magnitude;
}

inline int int4_at(const std::byte* from, std::size_t number) {
  const int pair = static_cast<int>(from[number / 16 * 8 + number % 8]);
  return (number % 16 < 8 ? pair & 15 : pair >> 4) - 8;
}

/// Number `number` of an array of elements; for int8 and int4, scale number `scale` of `scales`.
inline Stored stored_at(DataType storage, const std::byte* elements, std::size_t number, const std::byte* scales,
                        std::size_t scale) {
  Stored result;
  switch (storage) {
    case DataType::float32: result.dequantized = element_at<float>(elements, number); break;
    case DataType::float16: result.dequantized = half_at(elements, number); break;
    case DataType::bfloat16: result.dequantized = bfloat16_at(elements, number); break;
    case DataType::int8:
    case DataType::int8_channels:
      result.q = element_at<std::int8_t>(elements, number);
      result.scale = element_at<float>(scales, scale);
      break;
    case DataType::int4:
      result.q = int4_at(elements, number);
      result.scale = bfloat16_at(scales, scale);
      break;
    default: break;  // of weights alone
  }
  if (is_integer(storage)) result.dequantized = static_cast<float>(result.q * static_cast<double>(result.scale));
  return result;
}

/// Channel d of the key in a slot, from where the plan says that it lies.
inline Stored stored_key(const KvCache& cache, std::uint32_t sequence, std::uint32_t head, std::uint32_t slot,
                         std::uint32_t d) {
  const KvCachePlan& plan = cache.plan();
  const KvCacheConfig& c = plan.config;
  const std::size_t panel = (std::size_t{sequence} * c.kv_heads + head) * plan.key_panels + slot / 16;
  const std::size_t groups = c.key_type == DataType::int4 ? (c.head_dim + 31) / 32 : 1;
  const std::size_t group = c.key_type == DataType::int4 ? d / 32 : 0;
  const std::size_t scale = c.key_type == DataType::int8_channels ? std::size_t{head} * c.head_dim + d
                                                                  : (panel * groups + group) * 16 + slot % 16;
  return stored_at(c.key_type, cache.memory() + plan.keys.offset, (panel * c.head_dim + d) * 16 + slot % 16,
                   cache.memory() + plan.key_scales.offset, scale);
}

/// Channel d of the value in a slot, padding included.
inline Stored stored_value(const KvCache& cache, std::uint32_t sequence, std::uint32_t head, std::uint32_t slot,
                           std::uint32_t d) {
  const KvCachePlan& plan = cache.plan();
  const KvCacheConfig& c = plan.config;
  const std::size_t row = (std::size_t{sequence} * c.kv_heads + head) * c.max_keys + slot;
  const std::size_t groups = c.value_type == DataType::int4 ? (c.value_dim + 31) / 32 : 1;
  const std::size_t group = c.value_type == DataType::int4 ? d / 32 : 0;
  return stored_at(c.value_type, cache.memory() + plan.values.offset, row * plan.value_width + d,
                   cache.memory() + plan.value_scales.offset, row * groups + group);
}

}  // namespace heed::test
