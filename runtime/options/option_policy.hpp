// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <kernels/open_keys.hpp>

#include "attention/attention_run.hpp"
#include "attention/key_block.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"
#include "heed/options.hpp"
#include "options/score_terms.hpp"

namespace heed::detail {

/// The masking and score policy of a call with options: which keys a query sees, and what is done to a score. Scores
/// are in units of ln 2 here.
class OptionPolicy {
 public:
  static constexpr bool has_options = true;

  OptionPolicy(const AttentionRun& run, std::uint32_t batch, std::uint32_t key_length) noexcept;

  /// The same for keys of which key j is at position j + shift.
  [[nodiscard]] OptionPolicy shifted(std::uint32_t shift) const noexcept {
    OptionPolicy result = *this;
    result.first_position_ -= shift;
    result.prefix_length_ = prefix_length_ > shift ? prefix_length_ - shift : 0;
    return result;
  }

  [[nodiscard, gnu::always_inline]] bool same_for_all() const noexcept { return same_for_all_; }

  [[nodiscard]] static constexpr bool skips_blocks() noexcept { return false; }

  /// What the structural masks leave of the keys: always one range.
  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept;

  /// What all masks leave of the `width` keys from first_key on, counted from there, for a port that looks at whole key
  /// blocks: seen [16] of `count` rows, and whether a mask may hide keys between others. Inlined: no other has it.
  [[nodiscard, gnu::always_inline]] inline bool see_block(const QueryRow* rows, std::uint32_t count,
                                                          std::uint32_t first_key, std::uint32_t width,
                                                          KeyRange* seen) const noexcept;

  /// Whether a mask has something of the key first_key.
  [[nodiscard]] bool has_mask_at(std::uint32_t first_key) const noexcept {
    return has_masks() && first_key < key_length_;
  }

  /// Asks for what a mask has of a row in a key block, of an additive one for the first keys: the rows of a group lie
  /// far from each other, and to wait for one after the other would take longer than to look at them.
  void prefetch_mask(QueryRow row, std::uint32_t first_key) const noexcept;

  /// `keys`, counted from first_key, without those at both ends that are masked: a masked key block is empty.
  [[nodiscard]] KeyRange trim_masked_ends(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;

  /// Whether a mask may hide keys within `keys`, whose ends are trimmed.
  [[nodiscard]] bool has_hole(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;

  /// The first run of keys in `keys` that no mask hides; at their end, and empty, if there is none.
  [[nodiscard]] KeyRange next_unmasked_run(QueryRow row, std::uint32_t first_key, KeyRange keys) const noexcept;

  /// Where the scores of a row are written; null if they are not wanted.
  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept;

  /// scores[key] = hidden for every key of `keys` that is masked.
  void hide_masked(QueryRow row, KeyRange keys, float hidden, float* scores) const noexcept;

  /// Whether softcap_scores() or bias_scores() does anything where masks have no holes.
  [[nodiscard, gnu::always_inline]] bool changes_scores() const noexcept { return softcaps_ || biases_; }

  /// Pre-softcap bias and softcap, on all keys that are scored. `block_work` takes 16 x (value_dim rounded up to 16)
  /// floats, as in bias_scores().
  void softcap_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;

  /// Masks and the biases after the softcap, on the keys that a row sees.
  void bias_scores(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;

  /// The two parts of it.
  void bias_by_position(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;
  void add_masks(const KeyBlock& block, const QueryRow* rows, float* block_work) const noexcept;

  /// What a row's weighted values are multiplied with in the end: 1 / sum, the sink included.
  [[nodiscard]] float inverse_of_sum(std::uint32_t head, float maximum, float sum) const noexcept;

 private:
  [[nodiscard]] bool has_masks() const noexcept { return bool_mask_ != nullptr || additive_mask_ != nullptr; }
  [[nodiscard, gnu::always_inline]] inline KeyRange unmasked(QueryRow row, std::uint32_t first_key, KeyRange keys,
                                                             bool& holes) const noexcept;
  [[nodiscard]] bool masked(QueryRow row, std::uint32_t key) const noexcept;

  const AttentionRun& run_;
  const AttentionOptions& options_;
  std::int64_t first_position_;  ///< position of query 0
  std::uint32_t query_length_;   ///< queries that exist
  std::uint32_t key_length_;     ///< keys that exist and that the masks reach
  std::uint32_t prefix_length_;  ///< keys that the causal mask does not hide
  bool causal_;
  bool same_for_all_;
  bool softcaps_;
  bool biases_;                              ///< apart from the bool mask
  const std::uint8_t* bool_mask_ = nullptr;  ///< [heads, queries, keys] of this batch entry, as the two below; or null
  const float* additive_mask_;
  const float* pre_softcap_bias_;
};

inline bool OptionPolicy::see_block(const QueryRow* rows, std::uint32_t count, std::uint32_t first_key,
                                    std::uint32_t width, KeyRange* seen) const noexcept {
  constexpr std::int64_t none = INT64_MAX / 4;
  const std::int64_t base = first_position_ - first_key;
  const std::int64_t left = options_.left_window != 0 ? std::int64_t{options_.left_window} - 1 : none;
  const std::int64_t right = options_.right_window != 0 ? std::int64_t{options_.right_window} : none;
  const std::int64_t prefix = causal_ ? std::int64_t{prefix_length_} - first_key : none;
  const std::int64_t length = std::int64_t{key_length_} - first_key;
  const std::int64_t last = length < width ? length : width;
  const std::uint32_t queries = query_length_;
  std::uint32_t query[panel_width];
  for (std::uint32_t r = 0; r < panel_width; ++r) query[r] = r < count ? rows[r].query : queries;
  // visible() of sixteen rows, without a branch: as vectors.
  std::uint32_t begins[panel_width];
  std::uint32_t ends[panel_width];
  for (std::uint32_t r = 0; r < panel_width; ++r) {
    const std::int64_t position = base + query[r];
    std::int64_t end = position + 1 > prefix ? position + 1 : prefix;
    end = end < position + right ? end : position + right;
    end = end < last ? end : last;
    end = query[r] < queries ? end : 0;
    const std::int64_t begin = position - left > 0 ? position - left : 0;
    begins[r] = static_cast<std::uint32_t>(begin < end ? begin : 0);
    ends[r] = static_cast<std::uint32_t>(begin < end ? end : 0);
  }
  for (std::uint32_t r = 0; r < panel_width; ++r) seen[r] = {begins[r], ends[r]};
  bool holes = false;
  if (!has_masks()) return holes;
  for (std::uint32_t r = 0; r < count; ++r) {
    if (!seen[r].empty()) seen[r] = unmasked(rows[r], first_key, seen[r], holes);
  }
  return holes;
}

inline KeyRange OptionPolicy::unmasked(QueryRow row, std::uint32_t first_key, KeyRange keys,
                                       bool& holes) const noexcept {
  const BoolMask& mask = options_.bool_mask;
  if (additive_mask_ == nullptr && keys.begin == 0 && keys.end == block_keys) {
    const bool bytes = mask.format == MaskFormat::bytes;
    const std::uint8_t* const from = bool_mask_ + static_cast<std::ptrdiff_t>(row.head) * mask.head_stride +
                                     static_cast<std::ptrdiff_t>(row.query) * mask.query_stride;
    return open_keys(from + (bytes ? first_key : first_key / 8), bytes, holes);
  }
  keys = trim_masked_ends(row, first_key, keys);
  holes = holes || has_hole(row, first_key, keys);
  return keys;
}

}  // namespace heed::detail
