// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "commands/commands.hpp"

namespace {

constexpr int failed = 2;

int report(std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << "heed: " << message << '\n';
  return failed;
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return app.exit(error);
    const std::vector<std::string> unknown = app.remaining();
    const bool unknown_command = app.get_subcommands().empty() && !unknown.empty();
    return report(unknown_command ? "there is no command " + unknown.front() : error.what());
  }
  std::cout.flush();
  return std::cout ? 0 : report("cannot write to the standard output");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    CLI::App app("heed: attention in fixed memory, on files, in worked examples and as a memory plan", "heed");
    app.get_formatter()->column_width(36);
    app.require_subcommand(1);
    heed::tools::add_demo(app);
    heed::tools::add_attend(app);
    heed::tools::add_mha(app);
    heed::tools::add_pack(app);
    heed::tools::add_plan(app);
    return run(app, argc, argv);
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory");
  } catch (const std::exception& error) {
    return report(error.what());
  }
}
