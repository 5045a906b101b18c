// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "attention/attention_run.hpp"
#include "attention/row_group.hpp"
#include "common/key_range.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// The position of query 0 among the keys of its batch entry: the one place that says what `Causal` means. With
/// Causal::none it hides nothing, and says what a window, a slope or a relative bias counts from. `key_length` is at
/// most max_tokens, query_count at most max_rows.
[[nodiscard]] constexpr std::int32_t first_query_position(Causal causal, std::int32_t causal_offset,
                                                          std::uint32_t key_length,
                                                          std::uint32_t query_count) noexcept {
  if (causal == Causal::top_left) return 0;
  if (causal == Causal::bottom_right) {
    return static_cast<std::int32_t>(key_length) - static_cast<std::int32_t>(query_count);
  }
  return causal_offset;
}

/// The position of a later query, for a call that begins with it. That of a query which exists is at most INT32_MAX.
[[nodiscard]] constexpr std::int32_t query_position(Causal causal, std::int32_t causal_offset, std::uint32_t key_length,
                                                    std::uint32_t query_count, std::uint32_t query) noexcept {
  const std::int32_t first = first_query_position(causal, causal_offset, key_length, query_count);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(first) + query);
}

/// Queries [first, first + count) of a batch entry, out of `all` of a call.
struct QuerySlice {
  std::uint32_t batch;
  std::uint32_t first;
  std::uint32_t count;
  std::uint32_t all;
  std::uint32_t position_count;  ///< what stands for the key length in a causal mask
};

/// The causal mask of a call for a slice of its queries, which is a call of its own; `queries` of the call exist. The
/// last of them alone sees every key of Causal::bottom_right, wherever a ring has put it.
constexpr void slice_causal(const QuerySlice& slice, std::uint32_t queries, AttentionInputs& inputs) noexcept {
  if (inputs.causal == Causal::bottom_right && slice.count == 1 && slice.first + 1 == queries) return;
  inputs.causal_offset =
      query_position(inputs.causal, inputs.causal_offset, slice.position_count, queries, slice.first);
  if (inputs.causal != Causal::none) inputs.causal = Causal::offset;
}

}  // namespace heed_own_code

/// The masking policy of a call without options: the key length and `Causal` decide which keys a query sees, and
/// nothing changes a score.
class CausalMasking {
 public:
  static constexpr bool has_options = false;

  CausalMasking(const AttentionRun& run, std::uint32_t /*batch*/, std::uint32_t key_length) noexcept
      : run_(run), key_length_(key_length) {}

  /// Whether every query sees the same keys.
  [[nodiscard]] bool same_for_all() const noexcept { return run_.inputs->causal == Causal::none; }

  /// Whether masks may hide whole key blocks between others that a query sees: each is then scored, or skipped, alone.
  [[nodiscard]] static constexpr bool skips_blocks() noexcept { return false; }

  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept;

  /// The first run of keys in `keys` that no mask hides: all of them.
  [[nodiscard]] static KeyRange next_unmasked_run(QueryRow, std::uint32_t /*first_key*/, KeyRange keys) noexcept {
    return keys;
  }

  /// Where the scores of a row are written.
  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept {
    return run_.outputs->scores.row(batch, row.head, row.query);
  }

 private:
  const AttentionRun& run_;
  std::uint32_t key_length_;
};

/// The same for a call in integers whose keys are one key block and which returns its output alone. It is a type of its
/// own, so that a tile is compiled for it without what other calls need.
class OneIntegerBlock : public CausalMasking {
 public:
  using CausalMasking::CausalMasking;
};

template <class Policy>
inline constexpr bool is_one_integer_block = std::is_same_v<Policy, OneIntegerBlock>;

}  // namespace heed::detail
