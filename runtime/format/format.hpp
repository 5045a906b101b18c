// SPDX-License-Identifier: MIT
//
// What a format does with numbers of its type. Weights and keys lie in panels of sixteen outputs or keys, values in
// rows; panels and rows are given from their start, with their own scales.
#pragma once

#include <cstddef>
#include <cstdint>

#include "format/quantize.hpp"
#include "heed/format.hpp"
#include "heed/heed_model_config.h"
#include "heed/linear.hpp"
#include "product/gemm.hpp"

namespace heed {

class KvCache;

namespace detail {
/// `products` of a format that is not one of weights.
inline constexpr std::uint32_t no_products = ~std::uint32_t{0};
struct IntegerProduct;
struct LinearShare;
struct ChannelScales;
struct StoredKeys;
using MapActivation = void(Activation kind, const float* from, const float* factors, std::uint32_t count,
                           float* to) noexcept;
}  // namespace detail

/// A format of weights multiplies by them; one of a cache reads numbers and stores them. A function that a format does
/// not have is null.
struct Format {
  DataType type;
  std::uint32_t products = detail::no_products;  ///< of weights: detail::products_of(), by_mixed_rows

  /// C = start + A B of at most detail::rows_in_registers rows in panels of product.depth steps, dequantized in
  /// registers; product.b is not read, the steps of a row and the panels of C lie side by side, and C has room for
  /// whole panels.
  void (*multiply_panels)(const detail::Gemm& product, const std::byte* numbers, const std::byte* scales) noexcept;

  /// Floats [steps, 16] of one panel, from a step on that begins a group.
  void (*dequantize_panel)(const std::byte* numbers, const std::byte* scales, std::uint32_t steps, float* to) noexcept;

  /// Floats [steps] of one lane of a panel.
  void (*dequantize_lane)(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                          float* to) noexcept = nullptr;

  /// Multiplies a share of packed weights: detail::quantized_linear for rows of floats, detail::integer_linear for
  /// rows of integers. A program reaches either through formats alone.
  void (*multiply)(const Format& format, const detail::LinearShare& share) noexcept = nullptr;

  /// Rounds rows [rows, plan.inputs] to integers, plan.row_bytes each. This and the next four are for rows of integers,
  /// and null in formats whose rows are floats.
  void (*round)(const LinearPlan& plan, const float* x, std::ptrdiff_t stride, std::uint32_t rows,
                std::byte* to) noexcept = nullptr;
  void (*int8_sums)(const detail::IntegerProduct& product) noexcept = nullptr;
  void (*int16_sums)(const detail::IntegerProduct& product) noexcept = nullptr;
  float int16_factor = 1.0F;  ///< what int16_sums() has divided its sums by

  /// What an MLP calls instead of detail::map_activation() where its last product rounds rows.
  detail::MapActivation* activate = nullptr;

  /// multiply_panels() of rows in place of panels: step k of B is row k, product.b_step numbers long.
  void (*multiply_rows)(const detail::Gemm& product, const std::byte* numbers,
                        const std::byte* scales) noexcept = nullptr;

  /// Floats [rows, width]; width is `dim` rounded up to 16, and dim what the scales count.
  void (*dequantize_rows)(const std::byte* numbers, const std::byte* scales, std::uint32_t rows, std::uint32_t dim,
                          float* to) noexcept = nullptr;

  /// Rounds a whole row and stores it, with scales of its own where the type has them.
  detail::StoreChannels* store_row = nullptr;

  /// store_row() of channels that come a few at a time: clear_scales(), raise_scales() by all channels, store()
  /// of all. Types without scales of their own leave out the first two.
  void (*clear_scales)(std::uint32_t dim, const detail::StoredRow& row) noexcept = nullptr;
  void (*raise_scales)(const float* channels, std::uint32_t first, std::uint32_t count,
                       const detail::StoredRow& row) noexcept = nullptr;
  detail::StoreChannels* store = nullptr;

  /// Where a value lies; null where each value is a row of its own.
  detail::StoredRow (*value_in)(const KvCache& cache, std::uint32_t sequence, std::uint32_t kv_head,
                                std::uint32_t slot) noexcept = nullptr;

  /// Whether the scales in a cache's memory may be what it has written there; null: they may be any.
  bool (*may_be)(const KvCachePlan& plan, std::byte* memory) noexcept = nullptr;

  const detail::StoredKeys* stored_keys = nullptr;        ///< attention over what it stores
  const detail::ChannelScales* channel_scales = nullptr;  ///< of keys whose channels have one; null: there are none
};

namespace detail {

/// Whether a format is that of some products; null is that of float32.
[[nodiscard]] inline bool multiplies(const Format* format, std::uint32_t products) noexcept {
  return (format == nullptr ? 0 : format->products) == products;
}

/// The format that stores a type among those of a cache; null for float32, and where the program has named none.
[[nodiscard]] inline const Format* storing_format(const KvStorage& storage, DataType type) noexcept {
  for (const Format* const format : storage.formats) {
    if (format != nullptr && format->type == type && format->store != nullptr) return format;
  }
  return nullptr;
}

}  // namespace detail
}  // namespace heed
