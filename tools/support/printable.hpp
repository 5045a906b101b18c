// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace heed::tools {

/// The text with each byte of a control character, and each that is not UTF-8, as \xNN: names from files and from the
/// command line are shown to a terminal, which must not act on them.
[[nodiscard]] std::string printable(std::string_view text);

/// A number of the command line or of a file, in six digits: "3e+38".
[[nodiscard]] std::string number_text(float number);

}  // namespace heed::tools
