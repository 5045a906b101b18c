// SPDX-License-Identifier: MIT
#include "formats/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::string reason() {
  return errno == 0 ? "unknown error" : std::strerror(errno);
}

std::filesystem::path beside(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  path += ".tmp";
  return path;
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) throw Failure("cannot write " + file.string() + ": " + reason());
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  errno = 0;
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw Failure("cannot read " + file.string() + ": it is a folder");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  if (!stream.is_open() || stream.bad()) throw Failure("cannot read " + file.string() + ": " + reason());
  return std::move(bytes).str();
}

void OutputFiles::add(const std::filesystem::path& file, std::string bytes) {
  std::error_code error;
  Output output{std::filesystem::weakly_canonical(std::filesystem::absolute(file), error), std::move(bytes), false};
  if (error) output.file = file;
  const std::filesystem::file_status status = std::filesystem::status(output.file, error);
  // A device or a pipe is written to; a file renamed onto it would take its place.
  output.in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  for (const Output& other : outputs_) {
    if (other.file == output.file && !output.in_place) {
      throw Failure("two outputs are to be written to " + file.string());
    }
  }
  outputs_.push_back(std::move(output));
}

void OutputFiles::write() const {
  std::size_t finished = 0;
  try {
    for (const Output& output : outputs_) {
      write_bytes(output.in_place ? output.file : beside(output.file), output.bytes);
    }
    for (; finished < outputs_.size(); ++finished) {
      const Output& output = outputs_[finished];
      if (!output.in_place) std::filesystem::rename(beside(output.file), output.file);
    }
  } catch (...) {
    std::error_code ignored;
    for (; finished < outputs_.size(); ++finished) {
      const Output& output = outputs_[finished];
      if (!output.in_place) std::filesystem::remove(beside(output.file), ignored);
    }
    throw;
  }
}

}  // namespace heed::tools
