// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/key_block.hpp"
#include "attention/query_row.hpp"
#include "common/key_range.hpp"
#include "heed/options.hpp"
#include "options/score_terms.hpp"

namespace heed::detail {

/// AttentionOptions as the rules of a unit: which keys a query sees, and what is done to a score. Scores are in units
/// of ln 2 here.
class OptionRules {
 public:
  static constexpr bool has_options = true;

  OptionRules(const AttentionRun& run, const AttentionOptions& options, std::uint32_t batch,
              std::uint32_t length) noexcept;

  /// The same for keys of which key j is at position j + shift.
  [[nodiscard]] OptionRules moved(std::uint32_t shift) const noexcept {
    OptionRules result = *this;
    result.offset_ -= shift;
    result.prefix_length_ = prefix_length_ > shift ? prefix_length_ - shift : 0;
    return result;
  }

  [[nodiscard, gnu::always_inline]] bool same_for_all() const noexcept { return same_for_all_; }

  /// What the structural masks leave of the keys: always one range.
  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept;

  /// Whether a mask may hide keys between others that a row sees.
  [[nodiscard, gnu::always_inline]] bool have_holes() const noexcept {
    return bool_mask_ != nullptr || mask_ != nullptr;
  }

  /// `keys`, counted from first_key, without those at both ends that the masks close: a closed block is empty.
  [[nodiscard]] KeyRange without_closed_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;

  /// f(range) for every run of keys in `keys` that no mask closes, in ascending order.
  template <class Function>
  void for_open_runs(QueryRow row, std::uint32_t first_key, KeyRange keys, Function f) const noexcept {
    for (std::uint32_t begin = keys.begin; begin < keys.end;) {
      std::uint32_t end = begin;
      while (end < keys.end && !closed(row, first_key + end)) ++end;
      if (end > begin) f(KeyRange{begin, end});
      begin = end + 1;
    }
  }

  /// Where the scores of a row are written; null if they are not wanted.
  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept;

  /// scores[key] = hidden for every key of `keys` that a mask closes.
  void hide(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept;

  /// Whether cap() or bias() does anything.
  [[nodiscard, gnu::always_inline]] bool change_scores() const noexcept { return caps_ || biases_; }

  /// Pre-cap bias and softcap, on all keys that are scored. `room` is for 16 x (value_dim rounded up to
  /// 16) floats, as in bias().
  void cap(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept;

  /// Masks and the biases behind the softcap, on the keys that a row sees.
  void bias(const KeyBlock& block, const QueryRow* rows, float* room) const noexcept;

  /// What a row's weighted values are multiplied with in the end: 1 / sum, the sink included.
  [[nodiscard]] float inverse(std::uint32_t head, float maximum, float sum) const noexcept;

 private:
  [[nodiscard]] bool closed(QueryRow row, std::uint32_t key) const noexcept;

  const AttentionRun& run_;
  const AttentionOptions& options_;
  std::int64_t offset_ = 0;      ///< position of query 0
  std::uint32_t query_length_;   ///< queries that exist
  std::uint32_t key_length_;     ///< keys that exist and that the masks reach
  std::uint32_t prefix_length_;  ///< keys that the causal mask does not hide
  bool causal_;
  bool same_for_all_;
  bool caps_;
  bool biases_;
  const std::uint8_t* bool_mask_ = nullptr;  ///< [heads, queries, keys] of this batch entry, as the two below; or null
  const float* mask_;
  const float* pre_cap_bias_;
};

}  // namespace heed::detail
