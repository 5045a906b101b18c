// SPDX-License-Identifier: MIT
#include "format/short_floats.hpp"

constexpr heed_format heed_bfloat16_weights =
    heed::detail::weights_of<heed::detail::ShortNumbers<heed::detail::bfloat16_lanes>>(heed::DataType::bfloat16);
constexpr heed_format heed_bfloat16_cache =
    heed::detail::short_cache<heed::detail::bfloat16_lanes, heed::detail::store_bfloat16>(heed::DataType::bfloat16);
