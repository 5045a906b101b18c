// SPDX-License-Identifier: MIT
#include "formats/weight_file.hpp"

#include <algorithm>
#include <map>
#include <system_error>

#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

std::shared_ptr<const MappedFile> WeightFile::read_unless_folder(const std::filesystem::path& path,
                                                                 const std::string& option) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return with_option(option, [&] { return std::make_shared<const MappedFile>(path); });
  }
  static_cast<void>(std::filesystem::directory_iterator(path, error));
  if (error) throw Failure(option + ": cannot read the folder " + path.string() + ": " + error.message());
  return nullptr;
}

WeightFile::WeightFile(const std::filesystem::path& path, const std::string& option,
                       const std::shared_ptr<const MappedFile>& content)
    : option_(option), name_(option + ' ' + path.string()), folder_(path) {
  if (content) files_.emplace_back(name_, content);
}

WeightFile::WeightFile(std::string name, std::vector<Safetensors> files)
    : name_(std::move(name)), files_(std::move(files)) {
  std::map<std::string, const Safetensors*> owners;
  for (const Safetensors& file : files_) {
    for (const std::string& tensor : file.names()) {
      const auto [owner, is_new] = owners.emplace(tensor, &file);
      if (!is_new) throw Failure(file.name() + ": tensor " + tensor + " is in " + owner->second->name() + ", too");
    }
  }
}

/// The first file, which says that it does not have it, if none has the tensor.
const Safetensors& WeightFile::safetensors_of(const std::string& tensor) const {
  const auto has_it = [&](const Safetensors& file) { return file.has(tensor); };
  const auto found = std::find_if(files_.begin(), files_.end(), has_it);
  if (found == files_.end() && files_.size() > 1) throw Failure(name_ + ": there is no tensor " + tensor);
  return found == files_.end() ? files_.front() : *found;
}

std::filesystem::path WeightFile::file_of(const std::string& tensor) const {
  return folder_ / (tensor + ".npy");
}

bool WeightFile::has(const std::string& tensor) const {
  if (gguf_) return gguf_->has(tensor);
  if (!files_.empty()) {
    return std::any_of(files_.begin(), files_.end(), [&](const Safetensors& file) { return file.has(tensor); });
  }
  return with_option(option_, [&] { return is_there(file_of(tensor)); });
}

std::vector<std::string> WeightFile::names() const {
  if (gguf_) return gguf_->names();
  std::vector<std::string> names;
  for (const Safetensors& file : files_) {
    for (std::string& tensor : file.names()) names.push_back(std::move(tensor));
  }
  if (files_.size() > 1) std::sort(names.begin(), names.end());
  if (!files_.empty()) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == ".npy") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Shape WeightFile::shape(const std::string& tensor) const {
  if (gguf_) return gguf_->shape(tensor);
  return is_folder() ? read(tensor).shape : safetensors_of(tensor).shape(tensor);
}

StoredNumbers WeightFile::stored(const std::string& tensor) const {
  if (gguf_) return gguf_->stored(tensor);
  return is_folder() ? StoredNumbers{} : safetensors_of(tensor).stored(tensor);
}

const MappedFile* WeightFile::content(const std::string& tensor) const {
  if (gguf_) return gguf_->content();
  return is_folder() ? nullptr : safetensors_of(tensor).content();
}

FloatArray WeightFile::read(const std::string& tensor) const {
  if (!is_folder()) return read_numbers(stored(tensor), content(tensor));
  if (!has(tensor)) throw Failure(name_ + ": there is no file " + tensor + ".npy");
  return with_option(option_, [&] { return read_npy(file_of(tensor)); });
}

void WeightFile::read(const std::string& tensor, const SeeNumbers& see) const {
  if (is_folder()) {
    see(0, read(tensor).values);
  } else {
    read_numbers(stored(tensor), content(tensor), see);
  }
}

}  // namespace heed::tools
