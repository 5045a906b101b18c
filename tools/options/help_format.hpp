// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace heed::tools {

/// Where the text of --help has what an option means; packaging/manual.py reads it there.
inline constexpr std::size_t help_column = 36;
inline constexpr std::size_t help_width = 100;

/// The text of --help, no line of which is wider than a page.
class HelpFormat : public CLI::Formatter {
 public:
  [[nodiscard]] std::string make_description(const CLI::App* app) const override;
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

/// The options that are added from here on stand together below this heading.
inline void begin_group(CLI::App& command, const std::string& heading) {
  command.option_defaults()->group(heading);
}

/// A line of the command's that does something, at the end of its help.
inline void add_example(CLI::App& command, const std::string& line) {
  command.footer("Example:\n  " + line);
}

}  // namespace heed::tools
