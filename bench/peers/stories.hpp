// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

namespace heed::bench {

/// Measures the language model stories260K beside llama2.c. `data` is the folder of its weights, `models` that of the
/// model files stories_float32.heed, stories_int8.heed and stories_integers.heed.
void measure_stories(const std::filesystem::path& data, const std::filesystem::path& models, nlohmann::json& results);

}  // namespace heed::bench
