// SPDX-License-Identifier: MIT
#include "format/format_of.hpp"

constexpr heed_format heed_int4_group_weights =
    heed::detail::weights_of<heed::detail::GroupLanes<std::uint8_t, heed::detail::half_lanes>>(
        heed::DataType::int4_groups);
