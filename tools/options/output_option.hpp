// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "formats/output_place.hpp"

namespace heed::tools {

/// An option for a file of one kind, or of one that depends on other options, that the command writes. Where that
/// cannot be, the command ends before it computes or prints anything.
inline CLI::Option* add_output(CLI::App& command, const std::string& name, OutputKind kind, std::string& place,
                               const std::string& text) {
  const auto look = [name, kind](const std::string& file) {
    static_cast<void>(expect_output(file, name));
    require_kind(file, name, kind);
    return std::string();
  };
  return command.add_option(name, place, text)->type_name("FILE")->check(look);
}

}  // namespace heed::tools
