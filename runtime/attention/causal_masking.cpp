// SPDX-License-Identifier: MIT
#include "attention/causal_masking.hpp"

namespace heed::detail {

KeyRange CausalMasking::visible(std::uint32_t query) const noexcept {
  if (inputs_.causal == Causal::none) return {0, key_length_};
  const std::int64_t position =
      first_query_position(inputs_.causal, inputs_.causal_offset, key_length_, inputs_.query_count);
  const std::int64_t end = position + query + 1;
  if (end <= 0) return {};
  return {0, end < std::int64_t{key_length_} ? static_cast<std::uint32_t>(end) : key_length_};
}

}  // namespace heed::detail
