// SPDX-License-Identifier: MIT
//
// Rows of an embedding table whose weights are those of rows of integers.
#include "format/table_lanes.hpp"

#include <port.hpp>

#include "format/integer_weights.hpp"
#include "heed/detail/linked_code.hpp"

namespace heed::detail {
namespace {

/// The scale of number `step` of an output, whose panel has the given scales.
template <DataType weights>
[[nodiscard]] float value_at(const std::byte* numbers, const std::byte* scales, std::uint32_t step,
                             std::uint32_t output) noexcept {
  std::int32_t number = weight_number<weights>(numbers, step, output);
  if constexpr (weights != DataType::int8) {
    const auto* const multipliers = reinterpret_cast<const std::int8_t*>(scales + panel_width * sizeof(float));
    number *= multipliers[step / scale_group_size * panel_width + output];
  }
  return port::compact_product(port::as_float(number), reinterpret_cast<const float*>(scales)[output]);
}

template <DataType weights>
void dequantize_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                     float* to) noexcept {
  for (std::uint32_t step = 0; step < steps; ++step) {
    to[step] = value_at<weights>(numbers, scales, step, static_cast<std::uint32_t>(lane));
  }
}

}  // namespace

constinit const LinkedCode integer_lane_code;

void int8_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps, float* to) noexcept {
  dequantize_lane<DataType::int8>(numbers, scales, lane, steps, to);
}
void int8_multiplier_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                          float* to) noexcept {
  dequantize_lane<DataType::int8_multipliers>(numbers, scales, lane, steps, to);
}
void int4_multiplier_lane(const std::byte* numbers, const std::byte* scales, int lane, std::uint32_t steps,
                          float* to) noexcept {
  dequantize_lane<DataType::int4_multipliers>(numbers, scales, lane, steps, to);
}

}  // namespace heed::detail
