// SPDX-License-Identifier: MIT
#include "format/short_floats.hpp"

namespace heed {

constexpr Format heed_bfloat16_weights =
    detail::weights_of<detail::ShortNumbers<detail::bfloat16_lanes>>(DataType::bfloat16);
constexpr Format heed_bfloat16_cache =
    detail::short_cache<detail::bfloat16_lanes, detail::store_bfloat16>(DataType::bfloat16);

}  // namespace heed
