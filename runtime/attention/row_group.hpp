// SPDX-License-Identifier: MIT
//
// How the query rows of a call are numbered and grouped.
#pragma once

#include <cstdint>
#include <kernels/rows_of_products.hpp>
#include <port.hpp>

#include "attention/attention_run.hpp"

namespace heed::detail {

/// Rows of a tile, or fewer at the end: at most plan.query_tile_rows.
[[nodiscard]] constexpr std::uint32_t tile_rows_of(const AttentionPlan& plan) noexcept {
  return rows_of_attention(plan.query_tile_rows, plan.config.integers == 0);
}

/// A row of work: one query of one query head.
struct QueryRow {
  std::uint32_t query;
  std::uint32_t head;
};

/// Up to sixteen rows of a tile that pass over the keys together.
struct RowGroup {
  std::uint32_t first;  ///< row of the tile
  std::uint32_t rows;
  bool columns;          ///< the queries are the lanes; otherwise the keys are
  const float* queries;  ///< scaled: [head_dim, 16] with columns, otherwise [rows, head_dim]
};

/// A key head of a batch entry.
struct KeyHead {
  const AttentionRun& run;
  std::uint32_t batch;
  std::uint32_t kv_head;
};

inline namespace heed_own_code {

/// The rows of one tile, which all belong to one key head.
struct TileRows : KeyHead {
  std::uint32_t first;  ///< of the rows of this key head
  std::uint32_t count;

  /// index < call.tiles
  TileRows(const AttentionRun& call, std::uint32_t index) noexcept
      : KeyHead{call, port::whole_quotient(port::whole_quotient(index, call.head_tiles), call.plan->config.kv_heads),
                port::whole_remainder(port::whole_quotient(index, call.head_tiles), call.plan->config.kv_heads)},
        first(port::whole_remainder(index, call.head_tiles) * tile_rows_of(*call.plan)),
        count(call.rows - first < tile_rows_of(*call.plan) ? call.rows - first : tile_rows_of(*call.plan)) {}

  [[nodiscard]] QueryRow at(std::uint32_t row) const noexcept {
    const std::uint32_t index = first + row;
    const std::uint32_t heads_per_kv_head = run.heads_per_kv_head;
    if (heads_per_kv_head == 1) return {index, kv_head};
    return {port::whole_quotient(index, heads_per_kv_head),
            kv_head * heads_per_kv_head + port::whole_remainder(index, heads_per_kv_head)};
  }
};

}  // namespace heed_own_code
}  // namespace heed::detail
