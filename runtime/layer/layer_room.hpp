// SPDX-License-Identifier: MIT
//
// Where the rows of a layer lie that are projected at a time. Keys and values have been stored before there are
// queries, so that in the same scratch there may be room for more rows than a plan counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/wanted_rows.hpp>

#include "common/key_range.hpp"
#include "heed/layer.hpp"

namespace heed::detail {

struct LayerRoom {
  const MultiHeadPlan& plan;
  std::byte* scratch;

  /// Rows at a time.
  [[nodiscard, gnu::always_inline]] std::uint32_t rows() const noexcept {
    if constexpr (wanted_rows != 0) {
      if (plan.token_rows < wanted_rows && plan.config.workers == 1 && plan.query.row_bytes != 0) {
        return least(static_cast<std::uint32_t>((plan.bytes - plan.projected.offset) / row_bytes()), wanted_rows);
      }
    }
    return plan.token_rows;
  }

  /// Keys, and then values; or queries.
  [[nodiscard, gnu::always_inline]] float* projected() const noexcept { return floats(plan.projected); }
  [[nodiscard, gnu::always_inline]] float* attention_output() const noexcept {
    if constexpr (wanted_rows != 0) {
      if (is_wide()) return projected() + std::size_t{rows()} * plan.query.outputs;
    }
    return floats(plan.attention_output);
  }
  [[nodiscard, gnu::always_inline]] float* staging() const noexcept {
    if constexpr (wanted_rows != 0) {
      if (is_wide()) return projected() + std::size_t{rows()} * width();
    }
    return floats(plan.staging);
  }

  /// A place in the scratch. Offsets count from the start of an arena, which begins with the state.
  [[nodiscard, gnu::always_inline]] float* floats(const Region& region) const noexcept {
    return reinterpret_cast<float*>(scratch + (region.offset - plan.state_bytes));
  }
  [[nodiscard]] bool is_wide() const noexcept { return rows() > plan.token_rows; }

  /// Floats of a row: of its key and value, or of its query and what attention makes of it.
  [[nodiscard]] std::size_t width() const noexcept {
    const std::size_t stored = std::size_t{plan.key.outputs} + plan.value.outputs;
    const std::size_t attending = std::size_t{plan.query.outputs} + plan.output.inputs;
    return stored > attending ? stored : attending;
  }
  [[nodiscard]] std::size_t row_bytes() const noexcept {
    std::uint32_t most = 0;
    for (const LinearPlan* product : {&plan.query, &plan.key, &plan.value, &plan.output}) {
      if (product->row_bytes > most) most = product->row_bytes;
    }
    return width() * sizeof(float) + most;
  }
};

}  // namespace heed::detail
