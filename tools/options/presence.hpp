// SPDX-License-Identifier: MIT
//
// Which options a command was given, where that depends on the others.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <string>

#include "support/failure.hpp"

namespace heed::tools {

/// An option that the chosen manner of running does not read would mislead in silence. `where` is "for a cache" or the
/// like.
inline void require_unused(const CLI::App& command, std::initializer_list<const char*> options, const char* where) {
  for (const char* option : options) {
    if (command.count(option) != 0) throw Failure(std::string(option) + " means nothing " + where);
  }
}

/// Sizes that have no default: without them the library would only say that some dimension is 0.
inline void require_given(const CLI::App& command, std::initializer_list<const char*> options, const char* where) {
  for (const char* option : options) {
    if (command.count(option) == 0) throw Failure(std::string(option) + " is needed " + where);
  }
}

}  // namespace heed::tools
