// SPDX-License-Identifier: MIT
#include "attention/causal_rules.hpp"

namespace heed::detail {

CausalRules::CausalRules(const AttentionRun& run, std::uint32_t /*batch*/, std::uint32_t length) noexcept
    : inputs_(*run.inputs), outputs_(*run.outputs), length_(length) {}

KeyRange CausalRules::visible(std::uint32_t query) const noexcept {
  std::int64_t offset = 0;
  switch (inputs_.causal) {
    case Causal::none: return {0, length_};
    case Causal::top_left: break;
    case Causal::bottom_right: offset = std::int64_t{length_} - inputs_.query_count; break;
    case Causal::offset: offset = inputs_.causal_offset; break;
  }
  const std::int64_t end = std::int64_t{query} + offset + 1;
  if (end <= 0) return {};
  return {0, end < std::int64_t{length_} ? static_cast<std::uint32_t>(end) : length_};
}

}  // namespace heed::detail
