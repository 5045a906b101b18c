// SPDX-License-Identifier: MIT
//
// Channels of keys and values as the numbers of an integer cache.
#include <bit>
#include <cstddef>
#include <kernels/stored_integers.hpp>

#include "firmware/data.hpp"
#include "ports/steps.hpp"

namespace heed::test {
namespace {

using port_check::Found;
using port_check::Step;

constexpr std::uint32_t most_channels = 3 * panel_width;

/// Channels within a scale's 127, the greatest among them, from any first one on; or a scale of NaN or 0, whose numbers
/// are 0 whatever the channels. All bytes are found, those that must stay, too.
template <bool value>
void store_numbers(std::uint32_t number, Found& found) {
  Numbers random(number);
  const std::uint32_t first = number % 3 == 0 ? 0 : random.between(0, most_channels - 1);
  const std::uint32_t count = random.between(number % 4 == 0 ? 0 : 1, most_channels - first);
  const std::uint32_t lane = number % 4;
  float channels[most_channels];
  random.fill(channels, 1.0F);
  float scale = 0x1.02p-7F;
  channels[0] = number % 2 == 0 ? scale * 127.0F : -scale * 127.0F;
  channels[1] = -0.0F;
  channels[2] = scale * 2.5F;
  channels[3] = scale * -3.5F;
  if (number % 8 == 5) scale = std::bit_cast<float>(0x7FC00000U);
  if (number % 8 == 5) channels[4] = -std::bit_cast<float>(0x7F800000U);
  if (number % 8 == 6) scale = 0.0F;
  constexpr std::size_t step = 128;
  alignas(64) std::byte numbers[std::size_t{most_channels} * 16 + 64];
  for (std::byte& byte : numbers) byte = std::byte{0x55};
  if constexpr (value) {
    detail::store_integer_value(channels, scale, first, count, numbers, step, lane);
  } else {
    detail::store_integer_key(channels, scale, first, count, numbers + std::size_t{lane} * 4);
  }
  for (const std::byte byte : numbers) found.add(static_cast<float>(byte));
}

constexpr std::uint32_t cases = 240;

constexpr Step steps[] = {
    {"keys of an integer cache", cases, store_numbers<false>},
    {"values of an integer cache", cases, store_numbers<true>},
};

}  // namespace

std::span<const Step> stored_steps() {
  return steps;
}

}  // namespace heed::test
