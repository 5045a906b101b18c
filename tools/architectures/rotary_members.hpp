// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "architectures/published_config.hpp"

namespace heed::tools {

/// What a library takes where a configuration does not say, and what it calls it.
struct RotaryDefaults {
  double base = 10000.0;
  double fraction = 1.0;  ///< of the columns of a head that are rotated
  const char* base_member = "rope_theta";
  /// What says another one, and where; null of the classes that rotate every column whatever partial_rotary_factor
  /// says, which are all that are read here but Phi-3's and GPT-NeoX's.
  const char* fraction_member = nullptr;
};

/// Takes what says how queries and keys are rotated, older (rope_theta, rope_scaling) or newer (rope_parameters), and
/// puts it into an architecture.
void take_rotary(PublishedConfig& config, std::uint32_t head_dim, const RotaryDefaults& defaults,
                 nlohmann::json& architecture);

/// The same where blocks with a window are rotated by a base of their own: rope_local_base_freq, or rope_parameters
/// with "full_attention" and "sliding_attention".
void take_two_rotaries(PublishedConfig& config, std::uint32_t head_dim, const RotaryDefaults& defaults,
                       double local_base, nlohmann::json& architecture);

}  // namespace heed::tools
