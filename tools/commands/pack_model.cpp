// SPDX-License-Identifier: MIT
#include "commands/pack_model.hpp"

#include <iostream>

#include "formats/c_source.hpp"
#include "formats/files.hpp"
#include "formats/llama2c.hpp"
#include "formats/model_members.hpp"
#include "formats/model_source.hpp"
#include "support/failure.hpp"
#include "tensors/model_reader.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

/// The matrices of blocks, input and head in a type by its name.
void set_weight_type(ModelConfig& config, const std::string& word) {
  const std::vector<std::string_view> names = enumerators(WeightType{}).names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word != names[i]) continue;
    config.block.weight_type = config.input_type = config.head_type = static_cast<WeightType>(i);
    return;
  }
  throw Failure("--weight-type " + word + ": float32, float16, bfloat16, int8, int8_groups or int4_groups is needed");
}

std::string summary(const ModelTensors& tensors, std::size_t bytes) {
  std::string text = std::to_string(bytes) + " bytes";
  if (tensors.skipped.empty()) return text + '\n';
  text += "; not used:";
  for (const std::string& name : tensors.skipped) text += ' ' + name;
  return text + '\n';
}

}  // namespace

void pack_model_file(const PackModelOptions& options, const std::string& weights, const std::string& out,
                     const std::string& array, const std::string& definition) {
  if (!options.incbin.empty()) require_c_name("--incbin", options.incbin.front());
  if (!options.incbin.empty()) expect_incbin(options.incbin.back());
  ModelTensors tensors = options.llama2c.empty()
                             ? read_model_tensors(options.model, weights, options.allow_unused)
                             : with_option("--llama2c", [&] { return read_llama2c(options.llama2c); });
  if (!options.weight_type.empty()) set_weight_type(tensors.config, options.weight_type);
  AlignedBytes packed = pack(tensors, out);
  const std::span<const std::byte> bytes = packed.span();
  const ModelConfig config = file_plan(tensors.config, out).config;
  OutputFiles files;
  if (!array.empty()) {
    add_c_source(files, out, definition, model_source(array, config, bytes));
  } else {
    files.add(out, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), "--out");
  }
  if (!options.incbin.empty()) {
    add_incbin(files, options.incbin.back(), out, options.incbin.front(), config, bytes.size());
  }
  files.write();
  std::cout << out << ": " << summary(tensors, bytes.size());
}

}  // namespace heed::tools
