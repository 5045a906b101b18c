// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/key_block.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"
#include "options/option_policy.hpp"

namespace heed::detail {

/// OptionPolicy over the slots of a cache. In a ring that has wrapped around, slots are in the order of time in three
/// runs only, some of them empty: the sink tokens, the newest tokens, the oldest ones. Each run is given the options
/// with query positions that count from where it would have its slot 0. Other sequences, and calls that do not depend
/// on positions, get the options as they are.
class RingPolicy {
 public:
  static constexpr bool has_options = true;

  RingPolicy(const AttentionRun& run, std::uint32_t batch, std::uint32_t key_length) noexcept;

  [[nodiscard]] bool same_for_all() const noexcept { return options_.same_for_all(); }
  [[nodiscard]] bool skips_blocks() const noexcept { return skips_blocks_; }

  /// In a wrapped ring every slot: those that a query sees need not be one range.
  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept {
    return wrapped_ ? KeyRange{0, runs_[2].slots.end} : options_.visible(query);
  }

  [[nodiscard]] bool has_mask_at(std::uint32_t first_key) const noexcept { return options_.has_mask_at(first_key); }
  void prefetch_mask(QueryRow row, std::uint32_t first_key) const noexcept { options_.prefetch_mask(row, first_key); }
  [[nodiscard]] bool has_hole(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept {
    return hides_positions_ || options_.has_hole(row, first_key, keys);
  }
  [[nodiscard]] bool changes_scores() const noexcept { return options_.changes_scores(); }

  [[nodiscard]] KeyRange trim_masked_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;
  [[nodiscard]] KeyRange next_unmasked_run(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;
  void hide_masked(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept;

  void softcap_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept {
    options_.softcap_scores(block, rows, block_work);
  }
  void bias_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;

  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept {
    return options_.score_row(batch, row);
  }
  [[nodiscard]] float inverse_of_sum(std::uint32_t head, float maximum, float sum) const noexcept {
    return options_.inverse_of_sum(head, maximum, sum);
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

  void mask_positions(const KeyBlock& block, const QueryRow* rows) const noexcept;
  void bias_run(const Run& run, const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;

  bool wrapped_;
  bool hides_positions_;  ///< by a causal mask or a window
  bool skips_blocks_;
  Run runs_[3];           ///< in ascending order of slots
  OptionPolicy options_;  ///< with the tokens of a wrapped ring for the key length
};

}  // namespace heed::detail
