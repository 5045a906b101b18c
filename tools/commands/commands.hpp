// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace heed::tools {

/// Each adds one subcommand, with its options, to the command line.
void add_array(CLI::App& app);
void add_attend(CLI::App& app);
void add_bench(CLI::App& app);
void add_compare(CLI::App& app);
void add_demo(CLI::App& app);
void add_generate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_mha(CLI::App& app);
void add_pack(CLI::App& app);
void add_plan(CLI::App& app);
void add_run(CLI::App& app);
void add_tokenize(CLI::App& app);

}  // namespace heed::tools
