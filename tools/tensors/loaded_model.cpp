// SPDX-License-Identifier: MIT
#include "tensors/loaded_model.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/files.hpp"
#include "tensors/model_tensors.hpp"

namespace heed::tools {

namespace {

AlignedBytes aligned(const std::string& bytes) {
  AlignedBytes copy(bytes.size());
  if (!bytes.empty()) std::memcpy(copy.span().data(), bytes.data(), bytes.size());
  return copy;
}

/// The two lengths that do not agree; nothing where the header is wrong otherwise.
std::string length_text(std::span<const std::byte> bytes) {
  const std::string found = ": the file has " + std::to_string(bytes.size()) + " bytes, and ";
  if (bytes.size() < detail::model_header_bytes) {
    return found + "the header alone needs " + std::to_string(detail::model_header_bytes);
  }
  std::uint32_t said = 0;
  std::memcpy(&said, bytes.data() + 2 * sizeof said, sizeof said);
  if (said <= bytes.size()) return {};
  return found + "its header says " + std::to_string(said);
}

}  // namespace

LoadedModel::LoadedModel(const std::filesystem::path& file) : name_(file.string()), bytes_(aligned(read_file(file))) {
  const ModelFile read = read_model(bytes_.span());
  if (read.status != Status::ok) {
    const bool length = std::string_view(read.field) == "length";
    throw Failure(name_ + ": " + read.field + ": " + to_string(read.status) + (length ? length_text(bytes()) : ""));
  }
  config_ = read.config;
  const std::size_t bytes = file_plan(config_, name_).file.bytes;
  if (bytes_.span().size() != bytes) {
    throw Failure(name_ + ": length: " + std::to_string(bytes_.span().size() - bytes) + " bytes come after the model");
  }
}

}  // namespace heed::tools
