// SPDX-License-Identifier: MIT
#include "attention_unit.hpp"

namespace heed::detail {

KeyRange visible_keys(const AttentionRun& run, std::uint32_t length, std::uint32_t query) noexcept {
  const AttentionInputs& inputs = *run.inputs;
  std::int64_t offset = 0;
  switch (inputs.causal) {
    case Causal::none: return {0, length};
    case Causal::top_left: break;
    case Causal::bottom_right: offset = std::int64_t{length} - inputs.queries; break;
    case Causal::offset: offset = inputs.causal_offset; break;
  }
  const std::int64_t end = std::int64_t{query} + offset + 1;
  if (end <= 0) return {};
  return {0, end < std::int64_t{length} ? static_cast<std::uint32_t>(end) : length};
}

}  // namespace heed::detail
