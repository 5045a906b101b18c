// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "commands/commands.hpp"
#include "heed/types.hpp"
#include "options/help_format.hpp"
#include "support/failure.hpp"
#include "support/nearest_word.hpp"
#include "support/printable.hpp"

namespace {

using heed::tools::exit_done;
using heed::tools::exit_trouble;

int report(std::string_view message) {
  std::cerr << "heed: " << heed::tools::printable(message) << '\n';
  return exit_trouble;
}

/// An empty value, as of a shell's variable that is not set, would pass for an option that was not given. What is to
/// become tokens may be an empty text.
void require_values(int argc, char** argv) {
  const bool tokenizes = argc > 1 && std::string_view(argv[1]) == "tokenize";
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view before = argv[i - 1];
    std::string_view option;
    if (word.starts_with("--") && word.find('=') == word.size() - 1) option = word.substr(0, word.size() - 1);
    if (word.empty() && tokenizes && before == "--text") continue;
    if (word.empty() && before.starts_with("--") && before.find('=') == before.npos) option = before;
    if (!option.empty()) throw heed::tools::Failure(std::string(option) + ": the value is empty");
    if (word.empty()) throw heed::tools::Failure("argument " + std::to_string(i) + " is empty");
  }
}

/// A question for the option, or else the command, that was meant; or nothing.
std::string suggestion(const CLI::App& app, const std::string& argument) {
  std::vector<std::string> words;
  if (argument.starts_with("--")) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  } else {
    for (const CLI::App* command : app.get_subcommands({})) words.push_back(command->get_name());
  }
  const std::string meant = heed::tools::nearest_word(argument.substr(0, argument.find('=')), words);
  return meant.empty() ? "" : "; did you mean " + meant + "?";
}

/// What the command line has and no command takes, in its order; nothing else if there is none.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> arguments = app.remaining(true);
  if (arguments.empty()) return {};
  const std::vector<CLI::App*> commands = app.get_subcommands();
  if (commands.empty() && !arguments.front().starts_with("-")) {
    return "there is no command " + arguments.front() + suggestion(app, arguments.front());
  }
  std::string text = commands.empty() ? "" : commands.front()->get_name() + ": ";
  text += arguments.size() == 1 ? "unexpected argument:" : "unexpected arguments:";
  for (const std::string& argument : arguments) text += " " + argument;
  const auto is_option = [](const std::string& argument) { return argument.starts_with("--"); };
  const auto option = std::find_if(arguments.begin(), arguments.end(), is_option);
  return option == arguments.end() ? text : text + suggestion(commands.empty() ? app : *commands.front(), *option);
}

/// Ends with `code`, unless text is lost.
int end(int code) {
  std::cout.flush();
  return std::cout ? code : report("cannot write to the standard output");
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::RuntimeError& answer) {
    return end(answer.get_exit_code());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return end(app.exit(error));
    const std::string extra = unexpected(app);
    return report(extra.empty() ? error.what() : extra);
  }
  return end(exit_done);
}

}  // namespace

int main(int argc, char** argv) {
  // A write beyond the limit of a file's size fails then, and its file is removed.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    if (!heed::float_environment_is_standard()) {
      return report("this process does not round to nearest, or flushes subnormal numbers: results would differ");
    }
    CLI::App app("heed: attention in fixed memory, on files, in worked examples and as a memory plan", "heed");
    app.formatter(std::make_shared<heed::tools::HelpFormat>());
    app.set_version_flag("--version", "heed " HEED_VERSION " (port " HEED_PORT_NAME ")");
    app.require_subcommand(1);
    heed::tools::add_demo(app);
    heed::tools::add_attend(app);
    heed::tools::add_mha(app);
    heed::tools::add_pack(app);
    heed::tools::add_array(app);
    heed::tools::add_plan(app);
    heed::tools::add_inspect(app);
    heed::tools::add_run(app);
    heed::tools::add_generate(app);
    heed::tools::add_bench(app);
    heed::tools::add_tokenize(app);
    heed::tools::add_compare(app);
    if (argc <= 1) {
      std::cout << app.help();
      return end(exit_trouble);
    }
    require_values(argc, argv);
    return run(app, argc, argv);
  } catch (const heed::tools::Failure& failure) {
    return report(failure.message());
  } catch (const std::bad_alloc&) {
    return report("there is not enough memory");
  } catch (const std::exception& error) {
    return report(error.what());
  }
}
