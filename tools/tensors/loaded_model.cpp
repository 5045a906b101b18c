// SPDX-License-Identifier: MIT
#include "tensors/loaded_model.hpp"

#include <cstring>

#include "formats/files.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

AlignedBytes aligned(const std::string& bytes) {
  AlignedBytes copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.span().data(), bytes.data(), bytes.size());
  return copy;
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& file) : name_(file.string()), bytes_(aligned(read_file(file))) {
  const ModelFile read = read_model(bytes_.span());
  if (read.status != Status::ok) throw Failure(name_ + ": " + read.field + ": " + to_string(read.status));
  config_ = read.config;
  const std::size_t bytes = file_plan(config_, name_).file.bytes;
  if (bytes_.span().size() != bytes) {
    throw Failure(name_ + ": length: " + std::to_string(bytes_.span().size() - bytes) + " bytes come after the model");
  }
}

}  // namespace heed::tools
