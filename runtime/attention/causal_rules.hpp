// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "attention/attention_run.hpp"
#include "attention/query_row.hpp"
#include "common/key_range.hpp"

namespace heed::detail {

/// What decides which keys a query sees when there are no options: the length and `Causal`.
class CausalRules {
 public:
  static constexpr bool has_options = false;

  CausalRules(const AttentionRun& run, std::uint32_t /*batch*/, std::uint32_t length) noexcept;

  /// Whether every query sees the same keys.
  [[nodiscard]] bool same_for_all() const noexcept { return inputs_.causal == Causal::none; }

  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept;

  /// Where the scores of a row are written.
  [[nodiscard]] float* score_row(std::uint32_t batch, QueryRow row) const noexcept {
    return outputs_.scores.row(batch, row.head, row.query);
  }

 private:
  const AttentionInputs& inputs_;
  const AttentionOutputs& outputs_;
  std::uint32_t length_;
};

}  // namespace heed::detail
