// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "heed/model.hpp"
#include "tensors/model_inputs.hpp"

namespace heed::tools {

/// What one entry of the inputs gives: rows of numbers.
struct OutputSizes {
  std::size_t rows = 1;
  std::size_t width = 0;
  bool many = false;  ///< the rows are a dimension of the output

  [[nodiscard]] std::size_t count() const { return rows * width; }
};

/// Of `count` tokens or frames; `every` asks a decoder for the logits of each of them.
[[nodiscard]] OutputSizes output_sizes(const ModelConfig& config, std::uint32_t count, bool every);

/// Runs a model on one entry, from an empty cache. A decoder gives the logits of every token by taking one at a time:
/// the bits are the same. A Failure begins with the name of the inputs' option.
void run_entry(Model& model, const std::string& option, const ModelInputs& inputs, std::uint32_t entry,
               const OutputSizes& sizes, float* output, const Executor& executor);

}  // namespace heed::tools
