// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tensors/layer_weights.hpp"

namespace heed::tools {

/// What `mha` and `pack` have in common on the command line: where a layer's weights are, and what they are called.
struct WeightOptions {
  std::string weights;
  HeadSizes sizes;
  WeightNames names;
};

void add_weight_options(CLI::App& command, WeightOptions& options);

/// The options that take names; apart, so that a command's help has them last.
void add_weight_names(CLI::App& command, WeightNames& names);

}  // namespace heed::tools
