// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "formats/files.hpp"
#include "support/failure.hpp"
#include "support/stage_hashes.hpp"

namespace heed::tools {

namespace {

struct CompareOptions {
  std::string left;
  std::string right;
};

std::string stage_text(const StageHash& hash) {
  return "block " + std::to_string(hash.block) + ", " + hash.stage;
}

/// Every pass through the model begins with its embedding.
std::size_t pass_of(const std::vector<StageHash>& hashes, std::size_t index) {
  std::size_t passes = 0;
  for (std::size_t i = 0; i <= index; ++i) passes += hashes[i].stage == to_string(Stage::embedding) ? 1 : 0;
  return passes;
}

void run_compare(const CompareOptions& options) {
  const std::vector<StageHash> left = parse_stages(read_file(options.left), options.left);
  const std::vector<StageHash> right = parse_stages(read_file(options.right), options.right);
  for (std::size_t i = 0; i < left.size() && i < right.size(); ++i) {
    const StageHash& a = left[i];
    const StageHash& b = right[i];
    const std::string where = "stage " + std::to_string(i) + ", pass " + std::to_string(pass_of(left, i)) + ": ";
    if (a.block != b.block || a.stage != b.stage) {
      throw Failure(where + options.left + " has " + stage_text(a) + " where " + options.right + " has " +
                    stage_text(b) + ": not the same calls of the same model");
    }
    if (a.hash != b.hash) {
      throw Failure(where + stage_text(a) + " is the first that differs: " + to_digits(a.hash) + " in " + options.left +
                    ", " + to_digits(b.hash) + " in " + options.right);
    }
  }
  if (left.size() != right.size()) {
    throw Failure(options.left + " has " + std::to_string(left.size()) + " stages, " + options.right + " has " +
                  std::to_string(right.size()) + "; those of both are the same");
  }
  std::cout << left.size() << " stages are the same\n";
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("compare", "the first stage that two runs of a model computed otherwise");
  const auto options = std::make_shared<CompareOptions>();
  const char* const text = "stage hashes: JSON of --stages, or a console's text with lines `stage BLOCK STAGE HASH`";
  command.add_option("left", options->left, text)->type_name("FILE")->required();
  command.add_option("right", options->right, "likewise")->type_name("FILE")->required();
  command.callback([options] { run_compare(*options); });
}

}  // namespace heed::tools
