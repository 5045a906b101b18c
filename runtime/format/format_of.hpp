// SPDX-License-Identifier: MIT
//
// What formats are made of: the kernels, given how sixteen numbers become floats, and how a row is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/quantized_tile.hpp>

#include "cache/key_readers.hpp"
#include "format/format.hpp"
#include "format/quantize.hpp"
#include "product/quantized_linear.hpp"

namespace heed::detail {

using ClearScales = void(std::uint32_t dim, const StoredRow& row) noexcept;
using RaiseScales = void(const float* channels, std::uint32_t first, std::uint32_t count,
                         const StoredRow& row) noexcept;

/// Format::store_row() of types that have scales of their own.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
void store_with_scales(const float* channels, std::uint32_t first, std::uint32_t count, const StoredRow& row) noexcept {
  clear(first + count, row);
  raise(channels, first, count, row);
  store(channels, first, count, row);
}

/// Gives a format the functions that store; `clear` and `raise` may be null.
template <ClearScales* clear, RaiseScales* raise, StoreChannels* store>
constexpr void add_storing(auto& format) noexcept {
  format.store_row = store;
  if constexpr (clear != nullptr) format.store_row = store_with_scales<clear, raise, store>;
  format.clear_scales = clear;
  format.raise_scales = raise;
  format.store = store;
}

/// Numbers of two bytes without scales.
template <port::f32x16 (*load_elements)(const std::uint16_t*) noexcept>
struct ShortNumbers {
  [[nodiscard]] static ShortFloats<load_elements> of(const std::byte* numbers, const std::byte* /*scales*/,
                                                     std::uint32_t /*steps*/) noexcept {
    return {reinterpret_cast<const std::uint16_t*>(numbers)};
  }
};

/// Bytes with a scale for each lane.
struct Int8Lanes {
  [[nodiscard]] static Int8OfLanes of(const std::byte* numbers, const std::byte* scales,
                                      std::uint32_t /*steps*/) noexcept {
    return {reinterpret_cast<const std::int8_t*>(numbers), reinterpret_cast<const float*>(scales)};
  }
};

/// Bytes with a scale for each step: values of tokens, keys by channel.
struct Int8Steps {
  [[nodiscard]] static Int8OfSteps of(const std::byte* numbers, const std::byte* scales,
                                      std::uint32_t /*steps*/) noexcept {
    return {reinterpret_cast<const std::int8_t*>(numbers), reinterpret_cast<const float*>(scales)};
  }
};

/// Integers of either size with a scale for each lane and group of steps.
template <class Integer, port::f32x16 (*load_scales)(const std::uint16_t*) noexcept>
struct GroupLanes {
  [[nodiscard]] static GroupsOfLanes<Integer, load_scales> of(const std::byte* numbers, const std::byte* scales,
                                                              std::uint32_t steps) noexcept {
    return {reinterpret_cast<const Integer*>(numbers), reinterpret_cast<const std::uint16_t*>(scales),
            static_cast<std::ptrdiff_t>((steps + scale_group_size - 1) / scale_group_size)};
  }
};

template <class Numbers>
void multiply_panels(const Gemm& product, const std::byte* numbers, const std::byte* scales) noexcept {
  multiply_quantized(product, Numbers::of(numbers, scales, product.depth));
}

template <class Numbers>
void dequantize_panel(const std::byte* numbers, const std::byte* scales, std::uint32_t steps, float* to) noexcept {
  dequantize_panel(Numbers::of(numbers, scales, steps), steps, to);
}

/// The format of weights whose numbers are Numbers::of(numbers, scales, steps).
template <class Numbers>
[[nodiscard]] constexpr Format weights_of(DataType type) noexcept {
  return {.type = type,
          .products = products_of(type, DataType::float32),
          .multiply_panels = multiply_panels<Numbers>,
          .dequantize_panel = dequantize_panel<Numbers>,
          .dequantize_lane =
              [](const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps, float* to) noexcept {
                dequantize_lane(Numbers::of(numbers, scales, steps), lane, steps, to);
              },
          .multiply = quantized_linear};
}

/// The format of keys: what reads them. On a port without the registers to dequantize for two rows it has no
/// multiply_panels().
template <class Numbers>
[[nodiscard]] constexpr Format keys_of(DataType type) noexcept {
  Format format{.type = type, .multiply_panels = nullptr, .dequantize_panel = dequantize_panel<Numbers>};
  format.stored_keys = &stored_keys;
  if constexpr (quantized_tile_rows != 0) format.multiply_panels = multiply_panels<Numbers>;
  return format;
}

}  // namespace heed::detail
