// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "architectures/model_folder_reader.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

/// `heed pack` of a whole model.
struct PackModelOptions {
  std::string model;                   ///< its architecture, JSON, or
  std::string llama2c;                 ///< a file of llama2.c, or
  std::string folder;                  ///< a folder of Hugging Face's, or a GGUF file
  FolderOptions published;             ///< what it does not say
  std::vector<std::string> incbin;     ///< a name and an assembler file
  std::optional<DataType> requantize;  ///< of a GGUF file: what quantized numbers may be rounded to
  std::string tokenizer;               ///< where the folder's goes besides, or empty
  bool no_tokenizer = false;           ///< none after the model
  std::string calibrate;               ///< inputs to measure on, or empty
  bool choose_rows = false;            ///< by them, those of each product
};

/// Whether this is a file, which then is one of GGUF.
[[nodiscard]] bool is_gguf_file(const std::string& folder);

/// Writes a model file, or one as a C array, from the weights or from the file of llama2.c or the folder. `types`
/// stand in place of what the architecture says.
void pack_model_file(const PackModelOptions& options, const StoredTypes& types, const std::string& weights,
                     const std::string& out, const std::string& array, const std::string& definition);

/// Writes the tokenizer of the folder alone.
void pack_tokenizer_file(const PackModelOptions& options);

}  // namespace heed::tools
