// SPDX-License-Identifier: MIT
//
// Running the desktop command as a child process, and the files that it reads and writes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace heed::test {

using Shape = std::vector<std::size_t>;

std::string read_bytes(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

/// An empty folder, and the command that works in it.
class CommandTest : public testing::Test {
 protected:
  struct Ended {
    int code = -1;
    std::string out, error;
  };

  CommandTest();
  ~CommandTest() override;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs `heed` with these arguments in the folder, so that they can name its files.
  [[nodiscard]] Ended run(const std::string& arguments) const;

  void expect_success(const std::string& arguments) const;

  /// One line, with all of these parts, and no output left behind.
  void expect_failure(const std::string& arguments, const std::vector<std::string>& parts) const;

  /// That two runs differ is an answer, and no error: with all of these parts.
  void expect_difference(const std::string& arguments, const std::vector<std::string>& parts) const;

  /// Elements of the types that command.cpp lists.
  template <class Element>
  void write_npy(const std::string& name, const Shape& shape, const std::vector<Element>& values) const;

  /// The same array, with its first dimension the fastest.
  void write_fortran_npy(const std::string& name, const Shape& shape, const std::vector<float>& values) const;

  /// A float32 file; `shape` is what it must have.
  [[nodiscard]] std::vector<float> read_npy(const std::string& name, const Shape& shape) const;

 private:
  std::filesystem::path folder_;
};

void expect_near(const std::vector<float>& got, const std::vector<double>& expected, const std::vector<double>& bound);
void expect_near(const std::vector<float>& got, const std::vector<double>& expected, double bound);

struct StoredTensor {
  std::string name;
  Shape shape;
  std::string bytes;
  std::string type = "F32";
};

template <class Element>
std::string bytes_of(const std::vector<Element>& values) {
  std::string bytes(values.size() * sizeof(Element), '\0');
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string safetensors_bytes(const std::string& header, const std::string& data);
void write_safetensors(const std::filesystem::path& file, const std::vector<StoredTensor>& tensors);
std::vector<float> read_safetensors(const std::filesystem::path& file, const std::string& tensor, Shape& shape);

}  // namespace heed::test
