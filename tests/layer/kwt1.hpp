// SPDX-License-Identifier: MIT
//
// Where the data of the keyword transformer KWT-1 lies, and how it is read.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace heed::test {

/// The float32 tensors of a safetensors file.
class Tensors {
 public:
  explicit Tensors(const std::filesystem::path& path) : file_(path, std::ios::binary) {
    std::uint64_t length = 0;
    file_.read(reinterpret_cast<char*>(&length), sizeof length);
    std::string header(length, ' ');
    file_.read(header.data(), static_cast<std::streamsize>(length));
    header_ = nlohmann::json::parse(header);
    data_ = 8 + length;
  }

  std::vector<float> operator[](const std::string& name) {
    const auto& offsets = header_.at(name).at("data_offsets");
    const std::uint64_t begin = offsets[0];
    const std::uint64_t end = offsets[1];
    std::vector<float> values((end - begin) / sizeof(float));
    file_.seekg(static_cast<std::streamoff>(data_ + begin));
    file_.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(end - begin));
    if (!file_) throw std::runtime_error("cannot read " + name);
    return values;
  }

 private:
  std::ifstream file_;
  nlohmann::json header_;
  std::uint64_t data_ = 0;
};

inline std::filesystem::path data_directory() {
  const char* from_environment = std::getenv("HEED_KWT1");
  return from_environment != nullptr ? from_environment : HEED_SOURCE_DIR "/../shared/kwt1";
}

}  // namespace heed::test
