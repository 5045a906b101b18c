// SPDX-License-Identifier: MIT
//
// What a transformer block is, and what a device gives it.
#pragma once

#include <bit>
#include <cstdint>

#include "heed/activation.hpp"
#include "heed/detail/layout.hpp"
#include "heed/explanation.hpp"
#include "heed/format.hpp"
#include "heed/heed_model_config.h"
#include "heed/status.hpp"

namespace heed::detail {

[[nodiscard]] constexpr bool is_positive_finite(float x) noexcept {
  return x > 0.0F && (std::bit_cast<std::uint32_t>(x) >> 23) < 255;
}

/// Replaces what is 0 by what it means.
template <class Say>
[[nodiscard]] constexpr Status complete(BlockConfig& config, BlockMemory& memory, Say say) noexcept {
  if (config.norm_epsilon == 0.0F) config.norm_epsilon = 1e-5F;
  if (memory.rows == 0) memory.rows = 1;
  if (memory.workers == 0) memory.workers = 1;
  if (config.model_dim > max_dimension) return say(Status::too_large, "model_dim", config.model_dim, 1, max_dimension);
  if (memory.rows > max_rows) return say(Status::too_large, "rows", memory.rows, 1, max_rows);
  if (config.mlp_dim == 0) config.mlp_dim = 4 * config.model_dim;
  if (config.mlp_dim > max_dimension) return say(Status::too_large, "mlp_dim", config.mlp_dim, 1, max_dimension);
  const auto unknown = [&](const char* member, auto value, auto most) {
    return say(Status::bad_option, member, value, 0, most);
  };
  if (config.norm > Norm::rms_norm) return unknown("norm", config.norm, Norm::rms_norm);
  if (config.norm_placement > NormPlacement::after) return unknown("norm_placement", config.norm_placement, 1);
  if (config.activation > Activation::silu) return unknown("activation", config.activation, Activation::silu);
  if (!is_weight_type(config.weight_type)) return unknown("weight_type", config.weight_type, 5);
  return is_positive_finite(config.norm_epsilon)
             ? Status::ok
             : say(Status::bad_option, "norm_epsilon", config.norm_epsilon, 0, 0x1.fffffep127F, "must be positive");
}

}  // namespace heed::detail
