// SPDX-License-Identifier: MIT
#include <kernels/quantized_tile.hpp>
#include <port.hpp>

#include "cache/cache_parts.hpp"
#include "cache/key_places.hpp"
#include "cache/key_readers.hpp"
#include "common/key_range.hpp"
#include "common/validation.hpp"
#include "format/format.hpp"
#include "product/gemm.hpp"

namespace heed::detail {
namespace {

/// Rows of values that the staging room holds.
[[nodiscard]] std::uint32_t staged_values(const AttentionPlan& plan, const KvCachePlan& cache) noexcept {
  return port::whole_quotient(plan.staged_keys * plan.config.head_dim, cache.value_width);
}

[[nodiscard]] bool dequantizes_in_registers(const Format* format, std::uint32_t rows) noexcept {
  return quantized_tile_rows != 0 && format != nullptr && rows <= quantized_tile_rows;
}

const float* panels(const KeySource& source, std::uint32_t first, std::uint32_t& count, float* staged) noexcept {
  const KvCache& cache = cache_of(source);
  const Format* const format = CacheAccess::key_format(cache);
  StoredNumbers panel = keys_at(source, first);
  count = within_page(*source.head.run.inputs, first, count);
  if (format == nullptr) return reinterpret_cast<const float*>(panel.numbers);
  count = least(count, source.head.run.plan->staged_keys);
  const std::uint32_t head_dim = cache.plan().config.head_dim;
  float* to = staged;
  for (std::uint32_t k = 0; k < count; k += panel_width, to += std::size_t{panel_width} * head_dim) {
    format->dequantize_panel(panel.numbers, panel.scales, head_dim, to);
    panel.numbers += cache.plan().key_panel_bytes;
    panel.scales += cache.plan().key_scale_bytes;
  }
  return staged;
}

std::uint32_t multiply_keys(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                            Gemm& product) noexcept {
  const Format* const format = CacheAccess::key_format(cache_of(source));
  if (dequantizes_in_registers(format, product.rows)) {
    product.columns = within_page(*source.head.run.inputs, first, wanted);
    const StoredNumbers panel = keys_at(source, first);
    format->multiply_panels(product, panel.numbers, panel.scales);
    return product.columns;
  }
  product.b = panels(source, first, wanted, staged);
  product.columns = wanted;
  multiply(product);
  return wanted;
}

std::uint32_t multiply_values(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                              Gemm& product) noexcept {
  const KvCache& cache = cache_of(source);
  const Format* const format = CacheAccess::value_format(cache);
  const KeyPlace place = place_of(source, first);
  const StoredNumbers row = value_row(cache, place.sequence, source.head.kv_head, place.slot);
  product.b_step = static_cast<std::ptrdiff_t>(cache.plan().value_width);
  product.depth = within_page(*source.head.run.inputs, first, wanted);
  if (dequantizes_in_registers(format, product.rows)) {
    format->multiply_rows(product, row.numbers, row.scales);
    return product.depth;
  }
  product.b = reinterpret_cast<const float*>(row.numbers);
  if (format != nullptr) {
    product.depth = least(product.depth, staged_values(*source.head.run.plan, cache.plan()));
    format->dequantize_rows(row.numbers, row.scales, product.depth, cache.plan().config.value_dim, staged);
    product.b = staged;
  }
  multiply(product);
  return product.depth;
}

}  // namespace

constexpr StoredKeys stored_keys = {nullptr, panels, multiply_keys, multiply_values};

}  // namespace heed::detail
