// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/key_block.hpp"
#include "attention/query_row.hpp"
#include "common/key_range.hpp"
#include "heed/options.hpp"
#include "options/option_rules.hpp"

namespace heed::detail {

/// The options over the slots of a KvCache. In a ring that has wrapped around, slots are in the order of time in three
/// runs only, some of them empty: the sink tokens, the newest tokens, the oldest ones. Each is given the options with
/// query positions that count from where it would have its slot 0. Other sequences, and calls that need no positions,
/// get the options as they are.
class RingPolicy {
 public:
  static constexpr bool has_options = true;

  RingPolicy(const AttentionRun& run, const AttentionOptions& options, const KvCacheView& view, std::uint32_t batch,
             std::uint32_t length) noexcept;

  [[nodiscard]] bool same_for_all() const noexcept { return options_.same_for_all(); }

  /// In a wrapped ring every slot that may be read: what a query sees of them is no range.
  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept {
    return wrapped_ ? KeyRange{0, runs_[2].slots.end} : options_.visible(query);
  }

  /// Whether a query may see slots so far apart that the blocks between them are better left out.
  [[nodiscard]] bool have_gaps() const noexcept { return hides_positions_; }
  [[nodiscard]] bool have_holes() const noexcept { return hides_positions_ || options_.have_holes(); }
  [[nodiscard]] bool change_scores() const noexcept { return hides_positions_ || options_.change_scores(); }

  [[nodiscard]] KeyRange without_closed_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;

  template <class Function>
  void for_open_runs(QueryRow row, std::uint32_t first_key, KeyRange keys, Function f) const noexcept {
    for (const Run& run : runs_) options_.for_open_runs(row, first_key, seen_in(run, row.query, first_key, keys), f);
  }

  void hide(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept;

  void cap(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept { options_.cap(block, rows, room); }
  void bias(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept;

  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept {
    return options_.score_row(batch, row);
  }
  [[nodiscard]] float inverse(std::uint32_t head, float maximum, float sum) const noexcept {
    return options_.inverse(head, maximum, sum);
  }

 private:
  /// Slots of consecutive positions.
  struct Run {
    KeyRange slots;
    std::uint32_t shift;  ///< position - slot
  };

  /// What a query sees of a run within `keys`, both counted from first_key.
  [[nodiscard]] KeyRange seen_in(const Run& run, std::uint32_t query, std::uint32_t first_key,
                                 KeyRange keys) const noexcept;

  void bias_run(const Run& run, const KeyBlock& block, const QueryRow* rows, float* room) const noexcept;

  bool wrapped_;
  bool hides_positions_;
  Run runs_[3];          ///< in ascending order of slots
  OptionRules options_;  ///< with the tokens of a wrapped ring for the keys
};

}  // namespace heed::detail
