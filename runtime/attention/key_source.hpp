// SPDX-License-Identifier: MIT
//
// Where the keys and values of one batch entry and one key head come from. The products (key_products.hpp) take them
// through these few functions alone; `first` is a key's number in its batch entry.
#pragma once

#include <cstddef>
#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/row_group.hpp"
#include "heed/arena.hpp"
#include "product/gemm.hpp"

namespace heed::detail {

struct KeyBlock;
struct KeySource;

/// What attention does with keys and values in tensors, or in a cache (cache/cache_reader.cpp). A program without one
/// of them has none of it.
struct KeyReader {
  /// What attend() refuses about keys, values and key_lengths. Options are null for a call without; `most` becomes the
  /// greatest key count of a batch entry.
  Status (*check)(const AttentionPlan& plan, const AttentionInputs& inputs, const AttentionOptions* options,
                  std::uint32_t& most) noexcept;

  /// Writes how many keys there are, and where they and the values lie, or what reads them.
  void (*open)(KeySource& source) noexcept;

  /// KeySource::panels() of keys that lie as rows; null in a cache, where none do.
  const float* (*stage)(const KeySource& source, std::uint32_t first, std::uint32_t& wanted, float* staged) noexcept;
};

extern const KeyReader tensor_reader;

/// Keys and values that are no floats in one piece: in few bits, or in pages of a cache. A program that names neither
/// has none of it (cache/key_readers.hpp). The functions are those of KeySource.
struct StoredKeys {
  /// weigh_keys() and the product with the values, result [rows, value_dim rounded up to 16], at once, where both are
  /// in integers; values whose weights are 0 then add nothing, be they infinite or NaN. Null: those two.
  void (*weigh_values)(const KeyBlock& block, const KeySource& source, float* maxima, float* sums,
                       float* result) noexcept;

  const float* (*panels)(const KeySource& source, std::uint32_t first, std::uint32_t& count, float* staged) noexcept;
  std::uint32_t (*multiply_keys)(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                                 Gemm& product) noexcept;
  std::uint32_t (*multiply_values)(const KeySource& source, std::uint32_t first, std::uint32_t wanted, float* staged,
                                   Gemm& product) noexcept;
};

/// Runs the whole call if the slots of its cache's ring are out of order and that matters to the call; otherwise false.
[[nodiscard]] bool attends_in_ring(const AttentionRun& run, std::byte* arena, const Executor& executor) noexcept;

/// Float rows, one after the other at a stride.
struct FloatRows {
  const float* first;
  std::ptrdiff_t stride;
};

struct KeySource {
  const KeyHead& head;                 ///< whose keys and values they are
  const StoredKeys* stored = nullptr;  ///< null: the members below say where the keys and values lie
  const float* keys = nullptr;         ///< rows [count, head_dim], or panels [count / 16, head_dim, 16]
  bool in_panels = false;              ///< of sixteen keys; otherwise the keys are rows
  std::ptrdiff_t key_row = 0;          ///< stride of the rows
  const float* values = nullptr;       ///< rows [count, value_dim]
  std::ptrdiff_t value_row = 0;        ///< stride of the rows
  std::uint32_t count = 0;             ///< keys that are there to be scored
  std::uint32_t length = 0;            ///< keys that a query may see, at most `count`

  explicit KeySource(const KeyHead& whose) noexcept;

  /// Keys as rows; only if they are not in panels.
  [[nodiscard]] FloatRows key_rows(std::uint32_t first) const noexcept {
    return {keys + static_cast<std::ptrdiff_t>(first) * key_row, key_row};
  }

  /// Float panels [wanted / 16, head_dim, 16] of the keys from `first` on, a multiple of 16: where they lie, or staged.
  /// `wanted`, a multiple of 16, becomes how many of them there are in one piece.
  [[nodiscard]] const float* panels(std::uint32_t first, std::uint32_t& wanted, float* staged) const noexcept;

  /// The product whose B is some of `wanted` keys from `first` on, in panels, or of so many values: how many, at least
  /// one panel or value. product.columns, or product.depth, is set here.
  [[nodiscard]] std::uint32_t multiply_keys(std::uint32_t first, std::uint32_t wanted, float* staged,
                                            Gemm& product) const noexcept {
    if (stored != nullptr) return stored->multiply_keys(*this, first, wanted, staged, product);
    product.b = panels(first, wanted, staged);
    product.columns = wanted;
    multiply(product);
    return wanted;
  }
  [[nodiscard]] std::uint32_t multiply_values(std::uint32_t first, std::uint32_t wanted, float* staged,
                                              Gemm& product) const noexcept {
    if (stored != nullptr) return stored->multiply_values(*this, first, wanted, staged, product);
    product.b = values + static_cast<std::ptrdiff_t>(first) * value_row;
    product.b_step = value_row;
    product.depth = wanted;
    multiply(product);
    return wanted;
  }
};

}  // namespace heed::detail
