// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/gguf_values.hpp"
#include "formats/input_file.hpp"
#include "formats/stored_numbers.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// A GGUF file in memory, version 2 or 3: "GGUF", the version, how many tensors and keys there are, the keys with their
/// values, a name, a shape, a type and an offset of each tensor, and their data. Everything that the file claims is
/// checked against its length before it is used; names are there once, and the data of no two tensors overlap.
class Gguf {
 public:
  /// `name` is the file's, for messages. The bytes stay where they are for as long as tensors are read.
  Gguf(std::string name, std::string_view bytes);

  /// The same of a file that is kept open.
  Gguf(std::string name, std::shared_ptr<const MappedFile> content) : Gguf(std::move(name), content->bytes()) {
    content_ = std::move(content);
  }

  /// The keys with their values: numbers, true or false, texts, lists of them. Those of general.*, but for the
  /// architecture and the type, and of tokenizer.* are not among them.
  [[nodiscard]] const nlohmann::json& metadata() const { return metadata_; }

  /// Those others, where they lie: as many bytes as their lengths say.
  [[nodiscard]] const std::map<std::string, GgufValue>& others() const { return others_; }

  [[nodiscard]] bool has(const std::string& tensor) const { return tensors_.contains(tensor); }
  [[nodiscard]] std::vector<std::string> names() const;

  /// A Failure if there is no such tensor, here and below. The last dimension is that of consecutive numbers.
  [[nodiscard]] Shape shape(const std::string& tensor) const { return stored(tensor).shape; }
  [[nodiscard]] const StoredNumbers& stored(const std::string& tensor) const;

  /// The file that is kept open; null if somebody else has the bytes.
  [[nodiscard]] const MappedFile* content() const { return content_.get(); }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::shared_ptr<const MappedFile> content_;
  nlohmann::json metadata_ = nlohmann::json::object();
  std::map<std::string, GgufValue> others_;
  std::map<std::string, StoredNumbers> tensors_;
};

/// Whether bytes begin as a GGUF file does.
[[nodiscard]] bool begins_as_gguf(std::string_view bytes);

}  // namespace heed::tools
