// SPDX-License-Identifier: MIT
#include "linear/decoded_linear.hpp"

namespace heed {

constexpr WeightFormat bfloat16_weights =
    detail::format_of<detail::PlainWeights<detail::bfloat16_lanes>>(WeightType::bfloat16);

}  // namespace heed
