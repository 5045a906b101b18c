// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>

#include "architectures/gguf_keys.hpp"

namespace heed::tools {

/// Puts rope_scaling into a configuration whose rope_theta and head_dim are there: what the keys say, or what the
/// tensor rope_freqs.weight holds, Llama 3's.
void take_gguf_scaling(GgufKeys& keys, nlohmann::json& config);

}  // namespace heed::tools
