// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

namespace heed::tools {

/// Decimal digits alone. The conversion behind an option would take 0x10, read 010 as 8, and turn -1 and what has more
/// than 64 bits into another number.
inline CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    const char* const end = text.data() + text.size();
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    const bool zero_in_front = text.size() > 1 && text.front() == '0';
    if (rest != end || error == std::errc::invalid_argument || zero_in_front) {
      return text + " is not a whole number in decimal digits";
    }
    if (error == std::errc{} && number >= least && number <= most) return {};
    return "Value " + text + " not in range " + std::to_string(least) + " to " + std::to_string(most);
  };
  return {check, ""};
}

/// An option for a number of at least 1. A 0 would pass for an option that was not given.
inline CLI::Option* add_count(CLI::App& command, const std::string& name, std::uint32_t& place, const std::string& text,
                              const std::string& type = "COUNT",
                              std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) {
  return command.add_option(name, place, text)->type_name(type)->check(whole_number(1, most));
}

}  // namespace heed::tools
