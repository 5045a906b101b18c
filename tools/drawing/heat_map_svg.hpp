// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>

#include "drawing/heat_map.hpp"

namespace heed::tools {

/// One SVG picture of all groups, each with its title, its maps and the legend of its scale.
[[nodiscard]] std::string to_svg(std::span<const HeatMapGroup> groups);

}  // namespace heed::tools
