// SPDX-License-Identifier: MIT
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "options/help_format.hpp"
#include "options/output_option.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"
#include "support/stage_differences.hpp"
#include "support/stage_hashes.hpp"
#include "support/stage_values.hpp"

namespace heed::tools {

namespace {

struct CompareOptions {
  std::string left;
  std::string right;
  std::string picture;
};

/// One of the two runs.
struct Side {
  std::string name;
  std::vector<StageHash> hashes;
  std::vector<StageArray> values{};  ///< none of a file that has hashes alone
};

Side read_side(const std::string& name) {
  const std::string bytes = read_file(name);
  if (!holds_stage_values(bytes)) return {.name = name, .hashes = parse_stages(bytes, name)};
  Side side{.name = name, .hashes = {}, .values = parse_stage_values(bytes, name)};
  side.hashes = to_hashes(side.values);
  return side;
}

std::string stage_text(const StageHash& hash) {
  return "block " + std::to_string(hash.block) + ", " + hash.stage;
}

/// Every pass through the model begins with its embedding.
std::size_t pass_of(const std::vector<StageHash>& hashes, std::size_t index) {
  std::size_t passes = 0;
  for (std::size_t i = 0; i <= index; ++i) passes += hashes[i].stage == to_string(Stage::embedding) ? 1 : 0;
  return passes;
}

std::string where_of(const Side& side, std::size_t index) {
  return "stage " + std::to_string(index) + ", pass " + std::to_string(pass_of(side.hashes, index)) + ": ";
}

void require_same_stage(const Side& left, const Side& right, std::size_t index) {
  const StageHash& a = left.hashes[index];
  const StageHash& b = right.hashes[index];
  if (a.block == b.block && a.stage == b.stage) return;
  throw Failure(where_of(left, index) + left.name + " has " + stage_text(a) + " where " + right.name + " has " +
                stage_text(b) + ": not the same calls of the same model");
}

[[noreturn]] void refuse_counts(const Side& left, const Side& right, const std::string& note) {
  throw Failure(left.name + " has " + std::to_string(left.hashes.size()) + " stages, " + right.name + " has " +
                std::to_string(right.hashes.size()) + note);
}

/// The first difference; nothing if there is none.
std::string compare_hashes(const Side& left, const Side& right) {
  for (std::size_t i = 0; i < left.hashes.size() && i < right.hashes.size(); ++i) {
    require_same_stage(left, right, i);
    const StageHash& a = left.hashes[i];
    const StageHash& b = right.hashes[i];
    if (a.hash != b.hash) {
      return where_of(left, i) + stage_text(a) + " is the first that differs: " + to_digits(a.hash) + " in " +
             left.name + ", " + to_digits(b.hash) + " in " + right.name;
    }
  }
  if (left.hashes.size() != right.hashes.size()) refuse_counts(left, right, "; those of both are the same");
  return {};
}

/// Everything that contradicts is found before anything is compared.
void require_same_shapes(const Side& left, const Side& right) {
  for (std::size_t i = 0; i < left.values.size() && i < right.values.size(); ++i) {
    require_same_stage(left, right, i);
    const Shape& a = left.values[i].array.shape;
    const Shape& b = right.values[i].array.shape;
    if (a != b) {
      throw Failure(where_of(left, i) + stage_text(left.hashes[i]) + " is " + describe(a) + " in " + left.name +
                    " and " + describe(b) + " in " + right.name + ": not the same calls of the same model");
    }
  }
  if (left.values.size() != right.values.size()) refuse_counts(left, right, ": not the same calls of the same model");
}

std::string row_text(std::size_t pass, const StageDifference& difference) {
  char text[160];
  std::snprintf(text, sizeof text, "%4zu  %5u  %-15s  %10zu  %10zu  %10s  %10s\n", pass, difference.block,
                difference.stage.c_str(), difference.values, difference.changed,
                difference_text(difference.largest).c_str(), difference_text(difference.relative()).c_str());
  return text;
}

/// Prints a row for each stage unless all are the same; says of the first that differs how far it does.
std::string compare_values(const Side& left, const Side& right, const std::vector<StageDifference>& differences) {
  std::string first, table;
  std::size_t pass = 0, changed = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    const StageDifference& difference = differences[i];
    pass += difference.stage == to_string(Stage::embedding) ? 1 : 0;
    table += row_text(pass, difference);
    if (difference.changed == 0) continue;
    ++changed;
    if (!first.empty()) continue;
    first = where_of(left, i) + stage_text(left.hashes[i]) + " is the first that differs: by " +
            difference_text(difference.largest) + ", " + difference_text(difference.relative()) +
            " of its largest value; ";
  }
  if (changed == 0) return {};
  std::cout << "pass  block  stage                values     changed     largest    relative\n" << table;
  return first + std::to_string(changed) + " of " + std::to_string(differences.size()) + " stages differ between " +
         left.name + " and " + right.name;
}

void run_compare(const CompareOptions& options) {
  const Side left = read_side(options.left);
  const Side right = read_side(options.right);
  if (!options.picture.empty()) {
    for (const Side& side : {std::cref(left), std::cref(right)}) {
      if (!side.values.empty()) continue;
      throw Failure("--picture: " + side.name + " has hashes alone; files of --stage-values are needed");
    }
  }
  std::string difference;
  if (left.values.empty() || right.values.empty()) {
    difference = compare_hashes(left, right);
  } else {
    require_same_shapes(left, right);
    std::vector<StageDifference> differences;
    for (std::size_t i = 0; i < left.values.size(); ++i) {
      differences.push_back(difference_of(left.values[i], right.values[i]));
    }
    OutputFiles files;
    if (!options.picture.empty()) files.add(options.picture, to_svg(differences, left.name, right.name), "--picture");
    files.write();
    difference = compare_values(left, right, differences);
  }
  if (difference.empty()) {
    std::cout << left.hashes.size() << " stages are the same\n";
    return;
  }
  std::cout << printable(difference) << '\n';
  throw CLI::RuntimeError(exit_differs);
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "compare", "the first stage that two runs of a model computed otherwise, and how far they are apart");
  const auto options = std::make_shared<CompareOptions>();
  const char* const text =
      "values of --stage-values, or hashes: JSON of --stages, or a console's text with lines `stage BLOCK STAGE HASH`";
  command.add_option("left", options->left, text)->type_name("FILE")->required();
  command.add_option("right", options->right, "likewise")->type_name("FILE")->required();
  add_output(command, "--picture", OutputKind::picture, options->picture,
             "draw the differences of values by block and stage, coloured by their logarithm: SVG");
  add_example(command, "heed compare desktop.json console.txt");
  command.callback([options] { run_compare(*options); });
}

}  // namespace heed::tools
