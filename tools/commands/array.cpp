// SPDX-License-Identifier: MIT
#include <memory>
#include <string>

#include "commands/commands.hpp"
#include "formats/c_source.hpp"
#include "formats/files.hpp"
#include "formats/npy_source.hpp"
#include "options/help_format.hpp"
#include "options/output_option.hpp"
#include "support/failure.hpp"

namespace heed::tools {

namespace {

struct ArrayOptions {
  std::string input;
  std::string out;
  std::string name;
  std::string definition;
};

void run_array(const ArrayOptions& options) {
  require_c_name("--c-array", options.name);
  const CSource source = with_option("--input", [&] { return npy_source(options.name, options.input); });
  OutputFiles files;
  add_c_source(files, options.out, options.definition, source);
  files.write();
}

}  // namespace

void add_array(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("array", "a .npy file as a constant array of C and C++, bit for bit");
  const auto options = std::make_shared<ArrayOptions>();
  command.add_option("--input", options->input, "a .npy file of a float type, int32 or int64")
      ->type_name("FILE")
      ->required();
  add_output(command, "--out", OutputKind::header, options->out,
             "the header: a static array, NAME_dim0, ... and NAME_count")
      ->required();
  command.add_option("--c-array", options->name, "name of the array, of float or int32_t")
      ->type_name("NAME")
      ->required();
  add_output(command, "--extern", OutputKind::source, options->definition,
             "write the array to this C file, and only its declaration to the header, for many files to include");
  add_example(command, "heed array --input x.npy --c-array x --out x.h");
  command.callback([options] { run_array(*options); });
}

}  // namespace heed::tools
