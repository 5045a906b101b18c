// SPDX-License-Identifier: MIT
#include "format/format_of.hpp"

namespace heed {

constexpr Format heed_int8_group_weights =
    detail::weights_of<detail::GroupLanes<std::int8_t, detail::half_lanes>>(DataType::int8_groups);

}  // namespace heed
