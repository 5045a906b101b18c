// SPDX-License-Identifier: MIT
#include "commands/pack_model.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

#include "architectures/gguf_reader.hpp"
#include "architectures/model_folder_reader.hpp"
#include "formats/c_source.hpp"
#include "formats/files.hpp"
#include "formats/llama2c.hpp"
#include "formats/model_source.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"
#include "tensors/model_reader.hpp"
#include "tensors/model_tensors.hpp"
#include "tensors/row_choice.hpp"
#include "tokenizers/published_tokenizer.hpp"

namespace heed::tools {

namespace {

std::string summary(const ModelTensors& tensors, std::size_t bytes) {
  std::string text = std::to_string(bytes) + " bytes";
  if (!tensors.skipped.empty()) text += "; not used:";
  for (const std::string& name : tensors.skipped) text += ' ' + printable(name);
  for (const std::string& note : tensors.notes) text += '\n' + printable(note);
  if (tensors.errors && !tensors.errors->describe().empty()) text += '\n' + tensors.errors->describe();
  if (const std::string rows = describe_rows(tensors.config); !rows.empty()) text += '\n' + rows;
  return text + '\n';
}

ModelTensors read_tensors(const PackModelOptions& options, const StoredTypes& types, const std::string& weights) {
  std::error_code error;
  const bool is_file =
      std::filesystem::exists(options.folder, error) && !std::filesystem::is_directory(options.folder, error);
  if (is_file) {
    if (!options.part.empty()) throw Failure("--part means nothing for a GGUF file");
    return read_gguf_model(options.folder, options.allow_unused, types, options.requantize);
  }
  if (options.requantize) throw Failure("--requantize means nothing but for a GGUF file");
  if (!options.folder.empty()) return read_model_folder(options.folder, options.part, options.allow_unused, types);
  if (options.llama2c.empty()) return read_model_tensors(options.model, weights, options.allow_unused, types);
  return with_option("--llama2c", [&] { return read_llama2c(options.llama2c, types); });
}

std::string add_tokenizer(OutputFiles& files, const PackModelOptions& options) {
  const TokenParts parts = read_tokenizer_folder(options.folder);
  const AlignedBytes bytes = token_file(parts, options.folder);
  const std::span<const std::byte> view = bytes.span();
  files.add(options.tokenizer, std::string(reinterpret_cast<const char*>(view.data()), view.size()), "--tokenizer");
  std::string text = options.tokenizer + ": " + std::to_string(view.size()) + " bytes, " +
                     std::to_string(parts.tokens.size()) + " tokens";
  for (const std::string& note : parts.notes) text += '\n' + printable(note);
  return text + '\n';
}

}  // namespace

void pack_tokenizer_file(const PackModelOptions& options) {
  OutputFiles files;
  const std::string text = add_tokenizer(files, options);
  files.write();
  std::cout << text;
}

void pack_model_file(const PackModelOptions& options, const StoredTypes& types, const std::string& weights,
                     const std::string& out, const std::string& array, const std::string& definition) {
  if (!options.incbin.empty()) require_c_name("--incbin", options.incbin.front());
  if (!options.incbin.empty()) expect_incbin(options.incbin.back());
  ModelTensors tensors = read_tensors(options, types, weights);
  std::string chosen;
  if (!options.calibrate.empty()) {
    const std::string option = "--calibrate";
    chosen = choose_rows(tensors, option, read_model_inputs(option, options.calibrate, tensors.config));
  }
  // Which reads the numbers.
  AlignedBytes packed =
      options.llama2c.empty() ? pack(tensors, out) : with_option("--llama2c", [&] { return pack(tensors, out); });
  const std::span<const std::byte> bytes = packed.span();
  const ModelConfig config = file_plan(tensors.config, out).config;
  OutputFiles files;
  const std::string tokenizer = options.tokenizer.empty() ? "" : add_tokenizer(files, options);
  if (!array.empty()) {
    add_c_source(files, out, definition, model_source(array, config, bytes));
  } else {
    files.add_view(out, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "--out");
  }
  if (!options.incbin.empty()) {
    add_incbin(files, options.incbin.back(), out, options.incbin.front(), config, bytes.size());
  }
  files.write();
  std::cout << out << ": " << summary(tensors, bytes.size()) << chosen << tokenizer;
}

}  // namespace heed::tools
