// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <kernels/key_range.hpp>

#include "attention_run.hpp"

namespace heed::detail {

/// What decides which keys a query sees when there are no options: the length and `Causal`.
class CausalRules {
 public:
  static constexpr bool has_options = false;

  CausalRules(const AttentionRun& run, std::uint32_t /*batch*/, std::uint32_t length) noexcept;

  /// Whether every query sees the same keys.
  [[nodiscard]] bool same_for_all() const noexcept { return inputs_.causal == Causal::none; }

  [[nodiscard]] KeyRange visible(std::uint32_t query) const noexcept;

 private:
  const AttentionInputs& inputs_;
  std::uint32_t length_;
};

}  // namespace heed::detail
