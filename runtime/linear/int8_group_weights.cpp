// SPDX-License-Identifier: MIT
#include "linear/decoded_linear.hpp"

namespace heed {

constexpr WeightFormat int8_group_weights =
    detail::format_of<detail::GroupWeights<std::int8_t>>(WeightType::int8_groups);

}  // namespace heed
