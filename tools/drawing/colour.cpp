// SPDX-License-Identifier: MIT
#include "drawing/colour.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace heed::tools {

namespace {

constexpr std::array<Colour, 9> ramp_colours{{{247, 251, 255},
                                              {222, 235, 247},
                                              {198, 219, 239},
                                              {158, 202, 225},
                                              {107, 174, 214},
                                              {66, 146, 198},
                                              {33, 113, 181},
                                              {8, 81, 156},
                                              {8, 48, 107}}};

std::uint8_t mix(std::uint8_t from, std::uint8_t to, double part) {
  return static_cast<std::uint8_t>(std::lround(from + part * (to - from)));
}

}  // namespace

Colour ramp(double position) {
  const double scaled = std::clamp(position, 0.0, 1.0) * (ramp_colours.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(scaled), ramp_colours.size() - 2);
  const double part = scaled - static_cast<double>(below);
  const Colour& from = ramp_colours[below];
  const Colour& to = ramp_colours[below + 1];
  return {mix(from.red, to.red, part), mix(from.green, to.green, part), mix(from.blue, to.blue, part)};
}

Colour ink_on(const Colour& background) {
  constexpr Colour dark{20, 33, 61};
  constexpr Colour light{255, 255, 255};
  const double luminance = 0.299 * background.red + 0.587 * background.green + 0.114 * background.blue;
  return luminance > 140.0 ? dark : light;
}

std::string to_hex(const Colour& colour) {
  std::array<char, 8> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "#%02x%02x%02x", colour.red, colour.green, colour.blue);
  return buffer.data();
}

int palette_index(const Colour& colour) {
  // The cube's levels are 0, 95, 135, 175, 215, 255.
  const auto level = [](int value) { return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40; };
  return 16 + 36 * level(colour.red) + 6 * level(colour.green) + level(colour.blue);
}

}  // namespace heed::tools
