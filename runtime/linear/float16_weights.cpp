// SPDX-License-Identifier: MIT
#include "linear/decoded_linear.hpp"

namespace heed {

constexpr WeightFormat float16_weights =
    detail::format_of<detail::PlainWeights<detail::half_lanes>>(WeightType::float16);

}  // namespace heed
