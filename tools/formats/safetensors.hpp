// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/stored_numbers.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// A safetensors file in memory: the length of a JSON header in 8 little-endian bytes, the header, the tensors' data.
/// Everything that the header claims is checked against the file before it is used: names are there once, and the
/// tensors cover the data without gaps or overlaps.
class Safetensors {
 public:
  /// `name` is the file's, for messages. The bytes stay where they are for as long as tensors are read.
  Safetensors(std::string name, std::string_view bytes);

  /// The same of a file that is kept open.
  Safetensors(std::string name, std::shared_ptr<const MappedFile> content)
      : Safetensors(std::move(name), content->bytes()) {
    content_ = std::move(content);
  }

  [[nodiscard]] bool has(const std::string& tensor) const { return entries_.contains(tensor); }

  [[nodiscard]] std::vector<std::string> names() const;

  /// Gives the first release's names of norms, LayerNorm.gamma and LayerNorm.beta, those of all later ones, as
  /// transformers does when it loads a file.
  void rename_norms();

  /// A Failure if there is no such tensor, here and below.
  [[nodiscard]] Shape shape(const std::string& tensor) const { return entry(tensor).shape; }

  /// A tensor of type F32, F64, F16 or BF16.
  [[nodiscard]] StoredNumbers stored(const std::string& tensor) const;

  /// The file that is kept open; null if somebody else has the bytes.
  [[nodiscard]] const MappedFile* content() const { return content_.get(); }

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct Entry {
    std::string type;
    Shape shape;
    std::uint64_t begin = 0;  ///< in the data
    std::uint64_t end = 0;
  };

  [[nodiscard]] const Entry& entry(const std::string& tensor) const;
  void require_no_gaps(std::uint64_t data_bytes) const;

  std::string name_;
  std::string_view bytes_;
  std::shared_ptr<const MappedFile> content_;
  std::uint64_t data_begin_ = 0;
  std::map<std::string, Entry> entries_;
};

}  // namespace heed::tools
