// SPDX-License-Identifier: MIT
#include "format/quantize.hpp"

#include <bit>
#include <port.hpp>

#include "common/half.hpp"
#include "heed/format.hpp"

namespace heed::detail {
namespace {

/// The least float whose low `free_bits` bits are 0 and whose product with `levels` is not below `greatest`; NaN if
/// that is NaN.
[[nodiscard]] float scale_of(float greatest, float levels, int free_bits) noexcept {
  if (port::is_nan(greatest)) return greatest;
  // A subnormal quotient may have been rounded down to just such a float; the product with it is exact.
  const float scale = round_up_to_short(port::quotient(greatest, levels), free_bits);
  if (!port::less_from_zero(port::product(scale, levels), greatest)) return scale;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) + (1U << free_bits));
}

template <class Element, class Encode>
[[gnu::always_inline]] inline void store_each(const float* channels, std::uint32_t first, std::uint32_t count,
                                              const StoredRow& row, Encode encode) noexcept {
  auto* to = reinterpret_cast<Element*>(row.numbers) + row.place(first);
  const std::uint32_t width = row.width(first + count) - first;
  for (std::uint32_t d = 0; d < width; ++d, to += row.step) *to = encode(d < count ? channels[d] : 0.0F);
}

}  // namespace

float round_up_to_short(float x, int free_bits) noexcept {
  const std::uint32_t mask = (1U << free_bits) - 1;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + mask) & ~mask);
}

void store_float32(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  store_each<float>(channels, first, count, row, [](float x) { return x; });
}

void store_float16(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  store_each<std::uint16_t>(channels, first, count, row, [](float x) { return to_half(x); });
}

void store_bfloat16(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  store_each<std::uint16_t>(channels, first, count, row, [](float x) { return to_bfloat16(x); });
}

void store_int8(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  const float scale = row.scale<float>(0);
  store_each<std::int8_t>(channels, first, count, row,
                          [scale](float x) { return static_cast<std::int8_t>(quantize(x, scale, -127.0F, 127.0F)); });
}

void store_int8_channels(const float* channels, std::uint32_t first, std::uint32_t count,
                         const StoredRow& row) noexcept {
  for (std::uint32_t d = 0; d < count; ++d) {
    const float scale = reinterpret_cast<const float*>(row.scales)[first + d];
    reinterpret_cast<std::int8_t*>(row.numbers)[row.place(first + d)] =
        static_cast<std::int8_t>(quantize(channels[d], scale, -127.0F, 127.0F));
  }
}

void store_int4(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  std::uint32_t d = 0;
  for (; d < count; ++d) {
    const std::uint32_t bits = row.scale<std::uint16_t>((first + d) / scale_group_size);
    put_int4(row, first + d, quantize(channels[d], std::bit_cast<float>(bits << 16), -7.0F, 7.0F));
  }
  for (; first + d < row.width(first + count); ++d) put_int4(row, first + d, 0);
}

void clear_int8_scale(std::uint32_t /*dim*/, const StoredRow& row) noexcept {
  row.scale<float>(0) = 0.0F;
}

// The scale of channels is the greatest of the scales of their parts: scales are ordered as their bits, with NaN on
// top.
void raise_int8_scale(const float* channels, std::uint32_t /*first*/, std::uint32_t count,
                      const StoredRow& row) noexcept {
  const float scale = scale_of(greatest_magnitude(channels, count), 127.0F, 8);
  float& held = row.scale<float>(0);
  if (std::bit_cast<std::uint32_t>(scale) > std::bit_cast<std::uint32_t>(held)) held = scale;
}

void clear_int4_scales(std::uint32_t dim, const StoredRow& row) noexcept {
  for (std::uint32_t g = 0; g * scale_group_size < dim; ++g) row.scale<std::uint16_t>(g) = 0;
}

void raise_int4_scales(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  for (std::uint32_t d = 0; d < count;) {
    const std::uint32_t unused = scale_group_size - (first + d) % scale_group_size;
    const std::uint32_t part = count - d < unused ? count - d : unused;
    const float scale = scale_of(greatest_magnitude(channels + d, part), 7.0F, 16);
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(scale) >> 16);
    auto& held = row.scale<std::uint16_t>((first + d) / scale_group_size);
    if (bits > held) held = bits;
    d += part;
  }
}

}  // namespace heed::detail
