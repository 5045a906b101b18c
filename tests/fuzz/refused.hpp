// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "fuzz/target.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"

namespace heed::test::fuzz {

/// The bytes as the readers of the command take them.
[[nodiscard]] inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether `read` returns. It may refuse with a Failure that begins with the name of one of the files and goes on;
/// whatever else is thrown ends the process.
template <class Read>
bool accepts(std::initializer_list<std::string_view> files, const Read& read) {
  try {
    read();
    return true;
  } catch (const tools::Failure& failure) {
    const std::string& message = failure.message();
    bool named = false;
    for (const std::string_view file : files) {
      named = named || (message.starts_with(file) && message.size() > file.size() + 4);
    }
    require(named, "a refusal names the file, and what is wrong");
    for (const char character : tools::printable(message)) {
      require(static_cast<unsigned char>(character) >= 0x20, "what is shown has no control character");
    }
    return false;
  }
}

}  // namespace heed::test::fuzz
