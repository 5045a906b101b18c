// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "drawing/heat_map_svg.hpp"
#include "examples/example_report.hpp"
#include "examples/worked_examples.hpp"
#include "formats/files.hpp"
#include "options/help_format.hpp"
#include "options/output_option.hpp"

namespace heed::tools {

namespace {

struct DemoOptions {
  std::string svg_file;
  bool all = false;
};

void run_demo(const DemoOptions& options) {
  const TerminalColours colours = terminal_colours();
  std::vector<HeatMapGroup> groups;
  std::cout << "Worked examples from texts on attention, computed in float32 by the library.\n"
               "Beside each result: the digits that the text prints, or else the float64 value.\n\n\n";
  for (const nlohmann::json& example : worked_examples().at("examples")) {
    const ExampleReport report(example);
    std::cout << (options.all ? report.in_full(colours) : report.summary(colours)) << "\n\n";
    groups.push_back(report.heat_maps());
  }
  if (options.all) {
    std::cout << "Where the texts contradict themselves elsewhere\n\n" << inconsistencies("");
  } else {
    std::cout << "Every step of each example: heed demo --all\n";
  }
  if (options.svg_file.empty()) return;
  OutputFiles files;
  files.add(options.svg_file, to_svg(groups), "--svg");
  files.write();
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("demo", "worked examples of attention, with heat maps");
  const auto options = std::make_shared<DemoOptions>();
  command.add_flag("--all", options->all, "print every intermediate result");
  add_output(command, "--svg", OutputKind::picture, options->svg_file, "write all heat maps into one picture");
  add_example(command, "heed demo --all --svg maps.svg");
  command.callback([options] { run_demo(*options); });
}

}  // namespace heed::tools
