// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace heed::tools {

/// `heed pack` of a whole model.
struct PackModelOptions {
  std::string model;                ///< its architecture, JSON, or
  std::string llama2c;              ///< a file of llama2.c
  std::string weight_type;          ///< of every matrix; empty: as the architecture says
  std::vector<std::string> incbin;  ///< a name and an assembler file
  bool allow_unused = false;
};

/// Writes a model file, or one as a C array, from the weights or from the file of llama2.c.
void pack_model_file(const PackModelOptions& options, const std::string& weights, const std::string& out,
                     const std::string& array, const std::string& definition);

}  // namespace heed::tools
