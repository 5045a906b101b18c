// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "heed/multi_head.hpp"

namespace heed::tools {

using ConfigFields = std::vector<std::pair<const char*, std::uint32_t>>;

/// The fields of MultiHeadConfig and of heed_multi_head_config, in their order; scratch_budget is the last one.
[[nodiscard]] inline ConfigFields fields_of(const MultiHeadConfig& config) {
  return {{"model_dim", config.model_dim},
          {"heads", config.heads},
          {"kv_heads", config.kv_heads},
          {"head_dim", config.head_dim},
          {"value_dim", config.value_dim},
          {"kv_input_dim", config.kv_input_dim},
          {"output_dim", config.output_dim},
          {"max_keys", config.max_keys},
          {"max_sequences", config.max_sequences},
          {"workers", config.workers},
          {"scratch_budget", config.scratch_budget}};
}

/// How many of them weights depend on: up to output_dim.
inline constexpr std::size_t weight_fields = 7;

}  // namespace heed::tools
