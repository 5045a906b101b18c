// SPDX-License-Identifier: MIT
//
// What a worker's next tile touches first, prefetched a few rows at a time while this one multiplies: it may come from
// main memory, and as many requests at once as a tile has would hold up the loads after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <port.hpp>

#include "attention/key_source.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// A call of fewer tiles prefetches nothing: what it reads and writes stays in a cache of the core.
inline constexpr std::uint32_t least_tiles = 32;

/// The queries and outputs of a tile, and for each of its rows one of the keys that the tile before it does not see.
class NextTile {
 public:
  /// The tile after `tile` of the same worker, if there is one; otherwise `rows`, those of `tile`, take its place.
  NextTile(const AttentionRun& run, std::uint32_t tile, const TileRows& rows) noexcept
      : NextTile(run, tile, rows, run.tiles >= least_tiles && run.tiles - tile > run.plan->config.workers) {}

  [[nodiscard]] bool has_rows() const noexcept { return left_ != 0; }
  [[nodiscard]] std::uint32_t last_query() const noexcept { return rows_.at(rows_.count - 1).query; }

  /// `keys` of the source, where they are rows and the next tile, too, is of its key head.
  void add_keys(const KeySource& source, KeyRange keys) noexcept {
    if (rows_.kv_head != source.head.kv_head || rows_.batch != source.head.batch) return;
    if (source.in_panels || source.stored != nullptr) return;
    source_ = &source;
    keys_ = keys;
  }

  /// Prefetches that many more rows.
  void prefetch(std::uint32_t rows) noexcept {
    const AttentionConfig& config = rows_.run.plan->config;
    for (; rows != 0 && left_ != 0; --rows, --left_) {
      const QueryRow row = rows_.at(rows_.count - left_);
      prefetch_row(rows_.run.inputs->query.row(rows_.batch, row.head, row.query), config.head_dim);
      prefetch_row(rows_.run.outputs->output.row(rows_.batch, row.head, row.query), config.value_dim);
      if (keys_.empty()) continue;
      prefetch_row(source_->key_rows(keys_.begin).first, config.head_dim);
      prefetch_row(source_->values + static_cast<std::ptrdiff_t>(keys_.begin) * source_->value_row, config.value_dim);
      ++keys_.begin;
    }
  }

 private:
  NextTile(const AttentionRun& run, std::uint32_t tile, const TileRows& rows, bool exists) noexcept
      : rows_(exists ? TileRows(run, tile + run.plan->config.workers) : rows), left_(exists ? rows_.count : 0) {}

  [[gnu::always_inline]] static void prefetch_row(const float* row, std::uint32_t dim) noexcept {
    for (std::uint32_t d = 0; d < dim; d += panel_width) port::prefetch_far(row, static_cast<std::ptrdiff_t>(d));
  }

  TileRows rows_;
  std::uint32_t left_;
  const KeySource* source_ = nullptr;
  KeyRange keys_{};
};

/// In its place on ports that do not score pairs of groups.
struct NoNextTile {
  NoNextTile(const AttentionRun& /*run*/, std::uint32_t /*tile*/, const TileRows& /*rows*/) noexcept {}
};

}  // namespace heed_own_code
}  // namespace heed::detail
