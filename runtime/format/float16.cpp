// SPDX-License-Identifier: MIT
#include "format/short_floats.hpp"

namespace heed {

constexpr Format heed_float16_weights = detail::weights_of<detail::ShortNumbers<detail::half_lanes>>(DataType::float16);
constexpr Format heed_float16_cache = detail::short_cache<detail::half_lanes, detail::store_float16>(DataType::float16);

}  // namespace heed
