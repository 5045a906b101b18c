// SPDX-License-Identifier: MIT
#include "format/short_floats.hpp"

constexpr heed_format heed_float16_weights =
    heed::detail::weights_of<heed::detail::ShortNumbers<heed::detail::half_lanes>>(heed::DataType::float16);
constexpr heed_format heed_float16_cache =
    heed::detail::short_cache<heed::detail::half_lanes, heed::detail::store_float16>(heed::DataType::float16);
