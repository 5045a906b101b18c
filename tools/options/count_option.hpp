// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

namespace heed::tools {

/// An option for a number of at least 1. A 0 would pass for an option that was not given.
inline CLI::Option* add_count(CLI::App& command, const std::string& name, std::uint32_t& place, const std::string& text,
                              const std::string& type = "COUNT") {
  return command.add_option(name, place, text)
      ->type_name(type)
      ->check(CLI::Range(1U, std::numeric_limits<std::uint32_t>::max()).description(""));
}

}  // namespace heed::tools
