// SPDX-License-Identifier: MIT
#include "options/help_format.hpp"

#include <utility>

#include "drawing/matrix_text.hpp"

namespace heed::tools {

namespace {

/// A name, and from the column on what it means; below it where the name is too long.
std::string entry(const std::string& name, const std::string& meaning) {
  const std::string front = "  " + name;
  std::string lines = wrapped(meaning, help_column, help_width);
  if (front.size() >= help_column) return front + '\n' + lines;
  return lines.replace(0, front.size(), front);
}

}  // namespace

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrapped(app->get_description(), 0, help_width);
}

/// With one empty line between groups, as before the first.
std::string HelpFormat::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
  const std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
  return CLI::detail::find_and_replace(help, "\n\n\n", "\n\n");
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

}  // namespace heed::tools
