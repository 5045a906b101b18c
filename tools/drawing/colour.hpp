// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace heed::tools {

struct Colour {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Colour&, const Colour&) = default;
};

/// A ramp of one hue from nearly white (0) to a deep blue (1), even in lightness.
[[nodiscard]] Colour ramp(double position);

/// Black or white, whichever can be read on this background.
[[nodiscard]] Colour ink_on(const Colour& background);

/// "#08306b"
[[nodiscard]] std::string to_hex(const Colour& colour);

/// Number of the nearest colour in the 6 x 6 x 6 cube of a 256-colour terminal.
[[nodiscard]] int palette_index(const Colour& colour);

}  // namespace heed::tools
