// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "options/count_option.hpp"

namespace heed::tools {

/// An option for a number of at least 1 that may end with K, M or G: each is `factor` times the one before. `place` is
/// written when the option is read.
inline CLI::Option* add_size(CLI::App& command, const std::string& name, std::uint64_t& place, std::uint64_t factor,
                             const std::string& text, const std::string& type) {
  const auto read = [name, factor, &place](const std::string& given) {
    std::string digits = given;
    std::uint64_t unit = 1;
    if (digits.empty()) throw CLI::ValidationError(name, "a size is empty");
    if (const std::size_t letter = std::string("KMG").find(digits.back()); letter != std::string::npos) {
      for (std::size_t i = 0; i <= letter; ++i) unit *= factor;
      digits.pop_back();
    }
    std::string text_of = digits;
    const std::string wrong = whole_number(1, std::numeric_limits<std::uint64_t>::max() / unit)(text_of);
    if (!wrong.empty()) throw CLI::ValidationError(name, wrong);
    place = std::stoull(digits) * unit;
  };
  return command.add_option_function<std::string>(name, read, text)->type_name(type);
}

}  // namespace heed::tools
