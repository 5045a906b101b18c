// SPDX-License-Identifier: MIT
#include "format/format_of.hpp"

constexpr heed_format heed_int8_group_weights =
    heed::detail::weights_of<heed::detail::GroupLanes<std::int8_t, heed::detail::half_lanes>>(
        heed::DataType::int8_groups);
