// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace heed::tools {

/// What timm's VisionTransformer takes for arguments that neither the architecture nor its configuration say.
[[nodiscard]] nlohmann::json timm_defaults();

/// The arguments of an architecture by its name, as "vit_small_patch16_224"; nothing if it is not known.
[[nodiscard]] std::optional<nlohmann::json> timm_arguments(const std::string& architecture);

}  // namespace heed::tools
