// SPDX-License-Identifier: MIT
#include "quantization/quantize.hpp"

#include <bit>

#include "quantization/encode.hpp"
#include "quantization/rounding.hpp"

namespace heed::detail {
namespace {

/// The least float whose low `free_bits` bits are 0 and whose product with `levels` is not below `greatest`; NaN if
/// that is NaN.
[[nodiscard]] float scale_of(float greatest, float levels, int free_bits) noexcept {
  if (greatest != greatest) return greatest;
  // A subnormal quotient may have been rounded down to just such a float; the product with it is exact.
  const float scale = round_up_to_short(greatest / levels, free_bits);
  if (scale * levels >= greatest) return scale;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) + (1U << free_bits));
}

void store_int8(const float* channels, std::uint32_t dim, std::uint32_t width, const QuantizedRow& row,
                const QuantizedRow& scales) noexcept {
  const float scale = scale_of(greatest_magnitude(channels, dim), 127.0F, 8);
  reinterpret_cast<float*>(scales.data)[scales.number(0)] = scale;
  auto* to = reinterpret_cast<std::int8_t*>(row.data) + row.first;
  const std::uint32_t rounded = scale > 0.0F ? dim : 0;
  for (std::uint32_t d = 0; d < rounded; ++d, to += row.step) {
    *to = static_cast<std::int8_t>(rounded_quotient(channels[d], scale, -127.0F, 127.0F));
  }
  for (std::uint32_t d = rounded; d < width; ++d, to += row.step) *to = 0;
}

void store_int4(const float* channels, std::uint32_t dim, std::uint32_t width, const QuantizedRow& row,
                const QuantizedRow& scales) noexcept {
  for (std::uint32_t d = 0; d < dim; d += int4_group_size) {
    const std::uint32_t end = dim - d < int4_group_size ? dim : d + int4_group_size;
    const float scale = scale_of(greatest_magnitude(channels + d, end - d), 7.0F, 16);
    auto* to = reinterpret_cast<std::uint16_t*>(scales.data) + scales.number(d / int4_group_size);
    *to = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(scale) >> 16);
    for (std::uint32_t c = d; c < end; ++c) put_int4(row, c, quantise(channels[c], scale, -7.0F, 7.0F));
  }
  for (std::uint32_t d = dim; d < width; ++d) put_int4(row, d, 0);
}

template <class Element, class Encode>
void store_floats(const float* channels, std::uint32_t dim, std::uint32_t width, const QuantizedRow& row,
                  Encode encode) noexcept {
  auto* to = reinterpret_cast<Element*>(row.data);
  for (std::uint32_t d = 0; d < dim; ++d) to[row.number(d)] = encode(channels[d]);
  for (std::uint32_t d = dim; d < width; ++d) to[row.number(d)] = Element{0};
}

}  // namespace

float round_up_to_short(float x, int free_bits) noexcept {
  const std::uint32_t mask = (1U << free_bits) - 1;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + mask) & ~mask);
}

void store_row(DataType storage, const float* channels, std::uint32_t dim, std::uint32_t width, const QuantizedRow& row,
               const QuantizedRow& scales) noexcept {
  switch (storage) {
    case DataType::float32: return store_floats<float>(channels, dim, width, row, [](float x) { return x; });
    case DataType::float16:
      return store_floats<std::uint16_t>(channels, dim, width, row, [](float x) { return to_half(x); });
    case DataType::bfloat16:
      return store_floats<std::uint16_t>(channels, dim, width, row, [](float x) { return to_bfloat16(x); });
    case DataType::int8: return store_int8(channels, dim, width, row, scales);
    case DataType::int4: return store_int4(channels, dim, width, row, scales);
  }
}

void clear_scales(DataType storage, std::uint32_t dim, const QuantizedRow& scales) noexcept {
  if (storage == DataType::int8) reinterpret_cast<float*>(scales.data)[scales.number(0)] = 0.0F;
  if (storage != DataType::int4) return;
  auto* const groups = reinterpret_cast<std::uint16_t*>(scales.data);
  for (std::uint32_t g = 0; g * int4_group_size < dim; ++g) groups[scales.number(g)] = 0;
}

// The scale of channels is the greatest of the scales of their parts: scales are ordered as their bits, with NaN on
// top.
void raise_scales(DataType storage, const float* channels, std::uint32_t first, std::uint32_t count,
                  const QuantizedRow& scales) noexcept {
  if (storage == DataType::int8) {
    const float scale = scale_of(greatest_magnitude(channels, count), 127.0F, 8);
    float& held = reinterpret_cast<float*>(scales.data)[scales.number(0)];
    if (std::bit_cast<std::uint32_t>(scale) > std::bit_cast<std::uint32_t>(held)) held = scale;
    return;
  }
  if (storage != DataType::int4) return;
  for (std::uint32_t d = 0; d < count;) {
    const std::uint32_t unused = int4_group_size - (first + d) % int4_group_size;
    const std::uint32_t part = count - d < unused ? count - d : unused;
    const float scale = scale_of(greatest_magnitude(channels + d, part), 7.0F, 16);
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(scale) >> 16);
    auto& held = reinterpret_cast<std::uint16_t*>(scales.data)[scales.number((first + d) / int4_group_size)];
    if (bits > held) held = bits;
    d += part;
  }
}

void store_scaled(DataType storage, const float* channels, std::uint32_t first, std::uint32_t count,
                  const QuantizedRow& row, const QuantizedRow& scales) noexcept {
  if (storage == DataType::int8) {
    const float scale = reinterpret_cast<const float*>(scales.data)[scales.number(0)];
    auto* to = reinterpret_cast<std::int8_t*>(row.data);
    for (std::uint32_t d = 0; d < count; ++d) {
      to[row.number(first + d)] = static_cast<std::int8_t>(quantise(channels[d], scale, -127.0F, 127.0F));
    }
    return;
  }
  const auto* const groups = reinterpret_cast<const std::uint16_t*>(scales.data);
  for (std::uint32_t d = 0; d < count; ++d) {
    const std::uint32_t bits = groups[scales.number((first + d) / int4_group_size)];
    put_int4(row, first + d, quantise(channels[d], std::bit_cast<float>(bits << 16), -7.0F, 7.0F));
  }
}

void store_row_by_channel(const float* channels, const float* scales, std::uint32_t dim,
                          const QuantizedRow& row) noexcept {
  auto* to = reinterpret_cast<std::int8_t*>(row.data);
  for (std::uint32_t d = 0; d < dim; ++d) {
    to[row.number(d)] = static_cast<std::int8_t>(quantise(channels[d], scales[d], -127.0F, 127.0F));
  }
}

}  // namespace heed::detail
