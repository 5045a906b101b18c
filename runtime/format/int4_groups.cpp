// SPDX-License-Identifier: MIT
#include "format/format_of.hpp"

namespace heed {

constexpr Format heed_int4_group_weights =
    detail::weights_of<detail::GroupLanes<std::uint8_t, detail::half_lanes>>(DataType::int4_groups);

}  // namespace heed
