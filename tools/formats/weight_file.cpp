// SPDX-License-Identifier: MIT
#include "formats/weight_file.hpp"

#include <algorithm>
#include <system_error>

#include "formats/files.hpp"
#include "formats/npy.hpp"
#include "support/failure.hpp"

namespace heed::tools {

std::unique_ptr<const MappedFile> WeightFile::read_unless_folder(const std::filesystem::path& path,
                                                                  const std::string& option) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return with_option(option, [&] { return std::make_unique<const MappedFile>(path); });
  }
  static_cast<void>(std::filesystem::directory_iterator(path, error));
  if (error) throw Failure(option + ": cannot read the folder " + path.string() + ": " + error.message());
  return nullptr;
}

WeightFile::WeightFile(const std::filesystem::path& path, const std::string& option,
                       std::unique_ptr<const MappedFile> bytes)
    : option_(option), name_(option + ' ' + path.string()), bytes_(std::move(bytes)), folder_(path) {
  if (bytes_) file_.emplace(name_, bytes_->bytes());
}

std::filesystem::path WeightFile::file_of(const std::string& tensor) const {
  return folder_ / (tensor + ".npy");
}

bool WeightFile::has(const std::string& tensor) const {
  if (file_) return file_->has(tensor);
  std::error_code error;
  const bool found = std::filesystem::exists(file_of(tensor), error);
  if (error) throw Failure(option_ + ": cannot read " + file_of(tensor).string() + ": " + error.message());
  return found;
}

std::vector<std::string> WeightFile::names() const {
  if (file_) return file_->names();
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    if (entry.path().extension() == ".npy") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Shape WeightFile::shape(const std::string& tensor) const {
  return file_ ? file_->shape(tensor) : read(tensor).shape;
}

FloatArray WeightFile::read(const std::string& tensor) const {
  if (file_) return read_numbers(file_->stored(tensor), bytes_.get());
  if (!has(tensor)) throw Failure(name_ + ": there is no file " + tensor + ".npy");
  return with_option(option_, [&] { return read_npy(file_of(tensor)); });
}

void WeightFile::read(const std::string& tensor, const SeeNumbers& see) const {
  if (file_) {
    read_numbers(file_->stored(tensor), bytes_.get(), see);
  } else {
    see(0, read(tensor).values);
  }
}

}  // namespace heed::tools
