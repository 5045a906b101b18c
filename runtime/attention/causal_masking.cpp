// SPDX-License-Identifier: MIT
#include "attention/causal_masking.hpp"

namespace heed::detail {

KeyRange CausalMasking::visible(std::uint32_t query) const noexcept {
  const AttentionInputs& inputs = *run_.inputs;
  if (inputs.causal == Causal::none) return {0, key_length_};
  const std::int32_t first = first_query_position(inputs.causal, inputs.causal_offset, key_length_, inputs.query_count);
  // The sum of an int32 and a query, which is below 2^30, fits 32 bits without a sign where it is not negative.
  const std::uint32_t position = static_cast<std::uint32_t>(first) + query;
  if (first < 0 && static_cast<std::int32_t>(position) < 0) return {};
  return {0, position < key_length_ ? position + 1 : key_length_};
}

}  // namespace heed::detail
