// SPDX-License-Identifier: MIT
#include "linear/decoded_linear.hpp"

namespace heed {

constexpr WeightFormat int4_group_weights =
    detail::format_of<detail::GroupWeights<std::uint8_t>>(WeightType::int4_groups);

}  // namespace heed
