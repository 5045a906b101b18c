// SPDX-License-Identifier: MIT
#include "linear/decoded_linear.hpp"

namespace heed {
namespace {

struct Int8Weights {
  [[nodiscard]] static detail::Int8OfLanes numbers(const std::byte* weights, const std::byte* scales,
                                                   std::uint32_t /*inputs*/) noexcept {
    return {reinterpret_cast<const std::int8_t*>(weights), reinterpret_cast<const float*>(scales)};
  }
};

}  // namespace

constexpr WeightFormat int8_weights = detail::format_of<Int8Weights>(WeightType::int8);

}  // namespace heed
