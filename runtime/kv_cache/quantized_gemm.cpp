// SPDX-License-Identifier: MIT
#include "kv_cache/quantized_gemm.hpp"

#include <bit>
#include <kernels/quantized_tile.hpp>

#include "kv_cache/quantized_layout.hpp"

namespace heed::detail {
namespace {

template <class Element>
[[nodiscard]] const Element* elements(const std::byte* stored) noexcept {
  return reinterpret_cast<const Element*>(stored);
}

// A port without the registers to decode in calls neither of these two.
[[nodiscard, maybe_unused]] std::ptrdiff_t groups_of(std::uint32_t dim) noexcept {
  return static_cast<std::ptrdiff_t>((dim + int4_group_size - 1) / int4_group_size);
}

[[maybe_unused]] void multiply_short_floats(DataType storage, const std::byte* stored, const Gemm& product) noexcept {
  if (storage == DataType::float16) {
    multiply_quantized(product, ShortFloats<half_lanes>{elements<std::uint16_t>(stored)});
  } else {
    multiply_quantized(product, ShortFloats<bfloat16_lanes>{elements<std::uint16_t>(stored)});
  }
}

}  // namespace

bool decodes_in_registers(DataType storage, std::uint32_t rows) noexcept {
  return storage != DataType::float32 && rows <= quantized_tile_rows;
}

void multiply_quantized_keys(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                             std::uint32_t first_key, Gemm product) noexcept {
  if constexpr (quantized_tile_rows != 0) {
    const KvCachePlan& plan = cache.plan();
    const KvCacheConfig& config = plan.config;
    const auto parts = quantized_layout(plan, cache.memory(), sequence, kv_head);
    const std::size_t first = first_key / panel_width;
    const std::byte* keys = parts.keys + first * plan.key_panel_bytes;
    const std::byte* scales = parts.key_scales + first * plan.key_scale_bytes;
    product.b = nullptr;
    product.b_panel = static_cast<std::ptrdiff_t>(config.head_dim) * std::ptrdiff_t{panel_width};
    product.b_step = panel_width;
    if (config.key_type == DataType::int4) {
      multiply_quantized(
          product, GroupsOfLanes<std::uint8_t, bfloat16_lanes>{
                       elements<std::uint8_t>(keys), elements<std::uint16_t>(scales), groups_of(config.head_dim)});
    } else if (config.key_type != DataType::int8) {
      multiply_short_floats(config.key_type, keys, product);
    } else if (config.key_scales_per_channel) {
      multiply_quantized(product, Int8OfSteps{elements<std::int8_t>(keys), elements<float>(scales)});
    } else {
      multiply_quantized(product, Int8OfLanes{elements<std::int8_t>(keys), elements<float>(scales)});
    }
  }
}

void multiply_quantized_values(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                               std::uint32_t first_key, Gemm product) noexcept {
  if constexpr (quantized_tile_rows != 0) {
    const KvCachePlan& plan = cache.plan();
    const DataType storage = plan.config.value_type;
    const auto parts = quantized_layout(plan, cache.memory(), sequence, kv_head);
    const std::byte* values = parts.values + std::size_t{first_key} * plan.value_row_bytes;
    const std::byte* scales = parts.value_scales + std::size_t{first_key} * plan.value_scale_bytes;
    product.b = nullptr;
    product.b_panel = panel_width;
    product.b_step = static_cast<std::ptrdiff_t>(plan.value_width);
    if (storage == DataType::int4) {
      multiply_quantized(product, Int4OfSteps{elements<std::uint8_t>(values), elements<std::uint16_t>(scales),
                                              groups_of(plan.config.value_dim)});
    } else if (storage != DataType::int8) {
      multiply_short_floats(storage, values, product);
    } else {
      multiply_quantized(product, Int8OfSteps{elements<std::int8_t>(values), elements<float>(scales)});
    }
  }
}

}  // namespace heed::detail
