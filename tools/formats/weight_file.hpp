// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/gguf.hpp"
#include "formats/input_file.hpp"
#include "formats/safetensors.hpp"
#include "formats/stored_numbers.hpp"
#include "tensors/float_array.hpp"

namespace heed::tools {

/// Named tensors: a safetensors file or several, a GGUF file, or a folder with one file <tensor>.npy for each.
class WeightFile {
 public:
  /// Failures begin with the option that named the file.
  WeightFile(const std::filesystem::path& path, const std::string& option)
      : WeightFile(path, option, read_unless_folder(path, option)) {}

  /// Likewise, of bytes that read_unless_folder() gave.
  WeightFile(const std::filesystem::path& path, const std::string& option,
             const std::shared_ptr<const MappedFile>& content);

  /// The content of a file, or null for a folder.
  [[nodiscard]] static std::shared_ptr<const MappedFile> read_unless_folder(const std::filesystem::path& path,
                                                                            const std::string& option);

  /// A safetensors file in memory, where it stays for as long as this is used.
  WeightFile(std::string name, std::string_view bytes) : name_(std::move(name)) { files_.emplace_back(name_, bytes); }

  explicit WeightFile(Gguf file) : name_(file.name()), gguf_(std::move(file)) {}

  /// A model in several files; a Failure if a tensor is in two of them.
  WeightFile(std::string name, std::vector<Safetensors> files);

  [[nodiscard]] bool has(const std::string& tensor) const;

  /// Of every tensor, in alphabetical order.
  [[nodiscard]] std::vector<std::string> names() const;

  /// A Failure if there is no such tensor.
  [[nodiscard]] Shape shape(const std::string& tensor) const;

  /// A tensor as float32.
  [[nodiscard]] FloatArray read(const std::string& tensor) const;

  /// The same, a few numbers at a time.
  void read(const std::string& tensor, const SeeNumbers& see) const;

  /// How the file has it. A folder's tensors are read as floats, and have no such format.
  [[nodiscard]] StoredNumbers stored(const std::string& tensor) const;

  /// The file that a stored tensor is part of, if it is kept open.
  [[nodiscard]] const MappedFile* content(const std::string& tensor) const;

  [[nodiscard]] const std::string& name() const { return name_; }

  /// The GGUF file that this is, with its keys; null if it is another one.
  [[nodiscard]] const Gguf* gguf() const { return gguf_ ? &*gguf_ : nullptr; }

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& tensor) const;
  [[nodiscard]] bool is_folder() const { return !gguf_ && files_.empty(); }
  [[nodiscard]] const Safetensors& safetensors_of(const std::string& tensor) const;

  std::string option_;
  std::string name_;  ///< of the file or the folder, after the option, for messages
  std::optional<Gguf> gguf_;
  std::vector<Safetensors> files_;  ///< none, and no gguf_: a folder
  std::filesystem::path folder_;
};

}  // namespace heed::tools
