// SPDX-License-Identifier: MIT
#include "commands/pack_model.hpp"

#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <system_error>

#include "architectures/gguf_reader.hpp"
#include "formats/c_source.hpp"
#include "formats/files.hpp"
#include "formats/gguf.hpp"
#include "formats/llama2c.hpp"
#include "formats/model_source.hpp"
#include "formats/weight_file.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"
#include "support/progress.hpp"
#include "tensors/compensated_blocks.hpp"
#include "tensors/model_reader.hpp"
#include "tensors/model_tensors.hpp"
#include "tensors/row_choice.hpp"
#include "tokenizers/gguf_tokenizer.hpp"
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

/// The GGUF file that a model and its tokenizer are read from; null where `folder` is none.
std::shared_ptr<const WeightFile> open_gguf(const std::string& folder) {
  if (!is_gguf_file(folder)) return nullptr;
  return std::make_shared<const WeightFile>(Gguf(folder, std::make_shared<const MappedFile>(folder)));
}

ModelTensors read_tensors(const PackModelOptions& options, const StoredTypes& types, const std::string& weights,
                          const std::shared_ptr<const WeightFile>& gguf) {
  if (gguf != nullptr) {
    return read_gguf_model(gguf, options.published.allow_unused, types, options.requantize);
  }
  if (options.requantize) throw Failure("--requantize means nothing but for a GGUF file");
  if (!options.folder.empty()) return read_model_folder(options.folder, options.published, types);
  if (options.llama2c.empty()) return read_model_tensors(options.model, weights, options.published.allow_unused, types);
  return with_option("--llama2c", [&] { return read_llama2c(options.llama2c, types); });
}

struct FoundTokenizer {
  AlignedBytes file;
  std::size_t tokens;
  std::string text;  ///< what is said of it

  [[nodiscard]] std::string bytes() const {
    return {reinterpret_cast<const char*>(file.span().data()), file.span().size()};
  }
};

/// Whether there is anything to read.
bool has_tokenizer(const std::string& folder, const WeightFile* gguf) {
  return gguf != nullptr ? has_gguf_tokenizer(*gguf->gguf())
                         : is_there(std::filesystem::path(folder) / "tokenizer.json");
}

FoundTokenizer read_tokenizer(const PackModelOptions& options, const WeightFile* gguf) {
  const TokenParts parts = gguf != nullptr ? read_gguf_tokenizer(*gguf->gguf()) : read_tokenizer_folder(options.folder);
  AlignedBytes file = token_file(parts, options.folder);
  std::string text = std::to_string(file.span().size()) + " bytes, " + std::to_string(parts.tokens.size()) + " tokens";
  for (const std::string& note : parts.notes) text += '\n' + printable(note);
  return {std::move(file), parts.tokens.size(), text + '\n'};
}

/// What comes after the bytes of a model, and what is said of it.
struct TokenizerSection {
  std::string bytes{};
  std::string text{};
};

/// A tokenizer that is not supported, or that is none of this model, is no reason to have no model: a line says that it
/// is not there. A file that cannot be read is.
TokenizerSection tokenizer_section(const PackModelOptions& options, const WeightFile* gguf, const ModelConfig& config,
                                   std::size_t model_bytes) {
  if (options.no_tokenizer || options.folder.empty() || !has_tokenizer(options.folder, gguf)) return {};
  const auto left_out = [](const std::string& why) {
    return TokenizerSection{{}, "no tokenizer in it: " + why + '\n'};
  };
  if (config.input != ModelInput::tokens) return left_out("the model reads no tokens");
  try {
    const FoundTokenizer found = read_tokenizer(options, gguf);
    if (found.tokens > config.input_dim) {
      return left_out(std::to_string(found.tokens) + " tokens, and the model has " + std::to_string(config.input_dim));
    }
    const std::size_t padding = (arena_alignment - model_bytes % arena_alignment) % arena_alignment;
    return {std::string(padding, '\0') + found.bytes(), "its tokenizer is in it: " + found.text};
  } catch (const FileFailure&) {
    throw;
  } catch (const Failure& failure) {
    return left_out(printable(failure.message()));
  }
}

std::string add_tokenizer(OutputFiles& files, const PackModelOptions& options, const WeightFile* gguf) {
  const FoundTokenizer found = read_tokenizer(options, gguf);
  files.add(options.tokenizer, found.bytes(), "--tokenizer");
  return options.tokenizer + ": " + found.text;
}

/// Lets a model be rounded by what it does with the inputs of --calibrate; returns what is said of it.
std::string calibrate(ModelTensors& tensors, const PackModelOptions& options, const StoredTypes& types) {
  const std::string option = "--calibrate";
  const bool compensated = can_be_compensated(tensors.config);
  if (!options.choose_rows && !compensated) {
    throw Failure(option + " means nothing without --activations auto, or for a decoder without cross-attention " +
                  "--weight-type int4_multipliers");
  }
  // Packing the file itself is the last.
  begin_passes((compensated ? compensation_passes : 0) +
               (options.choose_rows ? row_choice_passes(tensors.config, types.named_rows) : 0) + 1);
  const ModelInputs inputs = read_model_inputs(option, options.calibrate, tensors.config);
  std::string text;
  if (compensated) {
    text = compensate_blocks(tensors, option, inputs);
  } else if (tensors.config.block.weight_type == DataType::int4_multipliers) {
    text =
        "blocks in int4_multipliers: to the nearest, as error compensation is for decoders of tokens without "
        "cross-attention\n";
  }
  if (options.choose_rows) text += choose_rows(tensors, option, inputs, types.named_rows);
  return text;
}

AlignedBytes joined(std::span<const std::byte> model, const std::string& section) {
  AlignedBytes file(model.size() + section.size());
  std::memcpy(file.span().data(), model.data(), model.size());
  std::memcpy(file.span().data() + model.size(), section.data(), section.size());
  return file;
}

}  // namespace

bool is_gguf_file(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error);
}

void pack_tokenizer_file(const PackModelOptions& options) {
  OutputFiles files;
  const std::string text = add_tokenizer(files, options, open_gguf(options.folder).get());
  files.write();
  std::cout << text;
}

void pack_model_file(const PackModelOptions& options, const StoredTypes& types, const std::string& weights,
                     const std::string& out, const std::string& array, const std::string& definition) {
  if (!options.incbin.empty()) require_c_name("--incbin", options.incbin.front());
  if (!options.incbin.empty()) expect_incbin(options.incbin.back());
  const std::shared_ptr<const WeightFile> gguf = open_gguf(options.folder);
  ModelTensors tensors = read_tensors(options, types, weights, gguf);
  const std::string measured = options.calibrate.empty() ? "" : calibrate(tensors, options, types);
  // Which reads the numbers.
  AlignedBytes packed =
      options.llama2c.empty() ? pack(tensors, out) : with_option("--llama2c", [&] { return pack(tensors, out); });
  const std::span<const std::byte> bytes = packed.span();
  const ModelConfig config = file_plan(tensors.config, out).config;
  OutputFiles files;
  const std::string tokenizer = options.tokenizer.empty() ? "" : add_tokenizer(files, options, gguf.get());
  const TokenizerSection section = tokenizer_section(options, gguf.get(), config, bytes.size());
  const std::size_t file_bytes = bytes.size() + section.bytes.size();
  if (!array.empty()) {
    add_c_source(files, out, definition, model_source(array, config, joined(bytes, section.bytes).span()));
  } else {
    files.add_view(out, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "--out", section.bytes);
  }
  if (!options.incbin.empty()) {
    add_incbin(files, options.incbin.back(), out, options.incbin.front(), config, file_bytes);
  }
  files.write();
  std::cout << out << ": " << summary(tensors, file_bytes) << measured << section.text << tokenizer;
}

}  // namespace heed::tools
