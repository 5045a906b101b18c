// SPDX-License-Identifier: MIT
//
// Weights whose scales are float16, for groups of inputs.
#include "format/format_of.hpp"

constexpr heed_format heed_int8_group_weights =
    heed::detail::weights_of<heed::detail::GroupLanes<std::int8_t, heed::detail::half_lanes>>(
        heed::DataType::int8_groups);

constexpr heed_format heed_int4_group_weights =
    heed::detail::weights_of<heed::detail::GroupLanes<std::uint8_t, heed::detail::half_lanes>>(
        heed::DataType::int4_groups);
