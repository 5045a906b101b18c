// SPDX-License-Identifier: MIT
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "options/count_option.hpp"
#include "options/help_format.hpp"
#include "support/failure.hpp"
#include "tokenizers/loaded_tokenizer.hpp"

namespace heed::tools {

namespace {

struct TokenizeOptions {
  std::string tokenizer;
  std::string text;
  std::string file;
  bool decode = false;
  bool bare = false;
  bool skip_special = false;
};

/// --text, --file, or the standard input.
std::string input_of(const CLI::App& command, const TokenizeOptions& options) {
  if (command.count("--text") != 0 && command.count("--file") != 0) {
    throw Failure("--text and --file are both given, and one of them is needed");
  }
  if (command.count("--text") != 0) return options.text;
  if (command.count("--file") != 0) return with_option("--file", [&] { return read_file(options.file); });
  std::string text(std::istreambuf_iterator<char>(std::cin), {});
  if (std::cin.bad()) throw Failure("cannot read the standard input");
  return text;
}

std::vector<std::uint32_t> ids_of(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::uint32_t> ids;
  for (std::string word; words >> word;) {
    const std::string wrong = whole_number(0, 0xFFFFFFFEU)(word);
    if (!wrong.empty()) throw Failure("--decode: " + wrong);
    ids.push_back(static_cast<std::uint32_t>(std::stoul(word)));
  }
  return ids;
}

void run_tokenize(const CLI::App& command, const TokenizeOptions& options) {
  const LoadedTokenizer tokenizer(options.tokenizer);
  const std::string input = input_of(command, options);
  if (options.decode) {
    if (options.bare) throw Failure("--no-template means nothing with --decode");
    if (options.skip_special && tokenizer.is_llama2c()) {
      throw Failure("--skip-special: a vocabulary of llama2.c does not say which tokens are special");
    }
    std::cout << tokenizer.decode(ids_of(input), !options.skip_special);
    return;
  }
  if (options.skip_special) throw Failure("--skip-special means nothing without --decode");
  if (options.bare && tokenizer.is_llama2c()) {
    throw Failure("--no-template: a vocabulary of llama2.c always begins a text with its token");
  }
  const char* separator = "";
  for (const std::uint32_t token : tokenizer.encode(input, !options.bare)) {
    std::cout << separator << token;
    separator = " ";
  }
  std::cout << '\n';
}

}  // namespace

void add_tokenize(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("tokenize", "text to the numbers of its tokens, and back");
  const auto options = std::make_shared<TokenizeOptions>();
  command
      .add_option("tokenizer", options->tokenizer,
                  "a file of `heed pack --tokenizer`, a model file with a tokenizer, or a vocabulary of llama2.c")
      ->type_name("FILE")
      ->required();
  command.add_option("--text", options->text, "what to read; the standard input unless given")->type_name("TEXT");
  command.add_option("--file", options->file, "read this file")->type_name("FILE");
  command.add_flag("--decode", options->decode, "from numbers to text");
  command.add_flag("--no-template", options->bare, "without the tokens that are put around a text");
  command.add_flag("--skip-special", options->skip_special, "with --decode: leave special tokens out");
  add_example(command, "heed tokenize model.heed --text 'Once upon a time'");
  command.callback([&command, options] { run_tokenize(command, *options); });
}

}  // namespace heed::tools
