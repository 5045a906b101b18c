// SPDX-License-Identifier: MIT
#include "quantization/dequantize.hpp"

#include <bit>
#include <cstddef>
#include <kernels/convert.hpp>
#include <kernels/quantized_tile.hpp>
#include <port.hpp>

namespace heed::detail {
namespace {

using namespace port;

/// Elements without a scale.
template <class Load>
void expand_plain(const std::byte* stored, std::size_t elements, float* to, Load load_elements) noexcept {
  const auto* from = reinterpret_cast<const std::uint16_t*>(stored);
  for (std::size_t e = 0; e < elements; e += panel_width) store(to + e, load_elements(from + e));
}

/// float16 and bfloat16.
void dequantize_short_floats(DataType storage, const std::byte* from, std::size_t elements, float* to) noexcept {
  if (storage == DataType::float16) {
    expand_plain(from, elements, to, [](const std::uint16_t* e) { return load_half(e); });
  } else {
    expand_plain(from, elements, to, [](const std::uint16_t* e) { return load_bfloat16(e); });
  }
}

/// Every panel or value has scales of its own.
void dequantize_int8(const std::byte* stored, const std::byte* scales, QuantizedBlock block, float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(stored);
  const auto* scale = reinterpret_cast<const float*>(scales);
  const auto elements = static_cast<std::uint32_t>(block.elements);
  for (std::size_t i = 0; i < block.count; ++i, from += elements, to += elements) {
    if (block.panels) {
      decode_panel(Int8OfLanes{from, scale}, elements / panel_width, to);
      scale += panel_width;
    } else {
      decode_row(from, *scale++, elements, to);
    }
  }
}

/// Every vector of a panel has the scale of its channel.
void dequantize_int8_by_channel(const std::byte* stored, const std::byte* scales, QuantizedBlock block,
                                float* to) noexcept {
  const auto* from = reinterpret_cast<const std::int8_t*>(stored);
  for (std::size_t i = 0; i < block.count; ++i, from += block.elements, to += block.elements) {
    const auto* scale = reinterpret_cast<const float*>(scales);
    for (std::size_t e = 0; e < block.elements; e += panel_width) {
      store(to + e, mul(load_int8(from + e), set(*scale++)));
    }
  }
}

/// Every group of channels in a panel has a scale for each lane. Counted in bytes, of two elements each.
void dequantize_int4_panels(const std::byte* stored, const std::byte* scales, QuantizedBlock block,
                            float* to) noexcept {
  const auto* from = reinterpret_cast<const std::uint8_t*>(stored);
  const auto* scale = reinterpret_cast<const std::uint16_t*>(scales);
  constexpr std::size_t group = std::size_t{int4_group_size} * panel_width / 2;
  for (std::size_t i = 0; i < block.count; ++i) {
    for (std::size_t left = block.elements / 2; left > 0; scale += panel_width) {
      const std::size_t taken = left < group ? left : group;
      const f32x16 factor = load_bfloat16(scale);
#pragma GCC unroll 2
      for (std::size_t b = 0; b < taken; b += panel_width / 2) store(to + b * 2, mul(load_int4(from + b), factor));
      from += taken;
      to += taken * 2;
      left -= taken;
    }
  }
}

/// Every group of channels in a value has one scale. Counted in bytes, of two elements each.
void dequantize_int4_rows(const std::byte* stored, const std::byte* scales, QuantizedBlock block, float* to) noexcept {
  const auto* from = reinterpret_cast<const std::uint8_t*>(stored);
  const auto* scale = reinterpret_cast<const std::uint16_t*>(scales);
  const std::size_t bytes = block.elements / 2;
  const std::size_t groups = (block.elements + int4_group_size - 1) / int4_group_size;
  for (std::size_t i = 0; i < block.count; ++i, scale += groups, from += bytes, to += bytes * 2) {
    for (std::size_t b = 0; b < bytes; b += panel_width / 2) {
      const f32x16 factor = set(std::bit_cast<float>(std::uint32_t{scale[b / (int4_group_size / 2)]} << 16));
      store(to + b * 2, mul(load_int4(from + b), factor));
    }
  }
}

}  // namespace

void dequantize(DataType storage, bool by_channel, const std::byte* from, const std::byte* scales, QuantizedBlock block,
                float* to) noexcept {
  if (storage == DataType::int4) {
    block.panels ? dequantize_int4_panels(from, scales, block, to) : dequantize_int4_rows(from, scales, block, to);
  } else if (storage != DataType::int8) {
    dequantize_short_floats(storage, from, block.count * block.elements, to);
  } else if (by_channel) {
    dequantize_int8_by_channel(from, scales, block, to);
  } else {
    dequantize_int8(from, scales, block, to);
  }
}

}  // namespace heed::detail
