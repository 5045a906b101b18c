// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "heed/positions.hpp"

namespace heed::tools {

/// The plan of --rope BASE[,interleaved][,DIMS] and of --rope-scaling KIND:FACTOR..., which may be empty, for heads of
/// `head_dim` columns, those of `rows`. A Failure names the option, the rows and what is wrong.
[[nodiscard]] RotaryPlan parse_rope(const std::string& rope, const std::string& scaling, std::uint32_t head_dim,
                                    const std::string& rows);

}  // namespace heed::tools
