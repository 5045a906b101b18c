// SPDX-License-Identifier: MIT
#include "formats/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "support/failure.hpp"

namespace heed::tools {

namespace {

std::string reason() {
  return errno == 0 ? "unknown error" : std::strerror(errno);
}

/// `refusal` is the message but for the reason.
Failure cannot_write(const std::string& refusal) {
  return Failure(refusal + ": " + reason());
}

/// Writes all bytes to an open file and closes it; false, with the reason in errno, if either fails.
bool write_and_close(int descriptor, std::string_view bytes) {
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    good = written > 0 || (written < 0 && errno == EINTR);
  }
  const int error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!good) errno = error;
  return good && closed;
}

/// For a device or a pipe.
void write_in_place(const std::filesystem::path& file, const std::string& refusal, const std::string& bytes) {
  errno = 0;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !write_and_close(descriptor, bytes)) throw cannot_write(refusal);
}

/// The permissions that the umask leaves to a new file. No other thread creates files meanwhile.
mode_t usual_permissions() {
  const mode_t hidden = ::umask(0);
  ::umask(hidden);
  return 0666 & ~hidden;
}

/// Writes a file of a name that no other has, in the folder of `file`. Returns where it is.
std::filesystem::path write_beside(const std::filesystem::path& file, const std::string& refusal,
                                   const std::string& bytes) {
  std::string name = (file.parent_path() / ".heed-XXXXXX").string();
  errno = 0;
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) throw cannot_write(refusal);
  const bool permitted = ::fchmod(descriptor, usual_permissions()) == 0;
  if (!write_and_close(descriptor, permitted ? bytes : std::string_view()) || !permitted) {
    const Failure failure = cannot_write(refusal);
    std::error_code ignored;
    std::filesystem::remove(name, ignored);
    throw failure;
  }
  return name;
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

void OutputFiles::add(const std::filesystem::path& file, std::string bytes, const std::string& option) {
  std::error_code error;
  Output output{std::filesystem::weakly_canonical(std::filesystem::absolute(file), error),
                (option.empty() ? "" : option + ": ") + "cannot write " + file.string(), std::move(bytes), false};
  if (error) output.file = file;
  const std::filesystem::file_status status = std::filesystem::status(output.file, error);
  // A device or a pipe is written to; a file renamed onto it would take its place.
  output.in_place = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  for (const Output& other : outputs_) {
    if (other.file == output.file && !output.in_place) {
      throw Failure(output.refusal + ": it is the file of another output");
    }
  }
  outputs_.push_back(std::move(output));
}

void OutputFiles::write() const {
  std::vector<std::filesystem::path> written;  // beside their places; empty for what was written in place
  written.reserve(outputs_.size());
  std::size_t finished = 0;
  try {
    for (const Output& output : outputs_) {
      if (output.in_place) write_in_place(output.file, output.refusal, output.bytes);
      written.push_back(output.in_place ? std::filesystem::path()
                                        : write_beside(output.file, output.refusal, output.bytes));
    }
    for (; finished < outputs_.size(); ++finished) {
      const Output& output = outputs_[finished];
      if (!output.in_place && std::rename(written[finished].c_str(), output.file.c_str()) != 0) {
        throw cannot_write(output.refusal);
      }
    }
  } catch (...) {
    std::error_code ignored;
    for (; finished < written.size(); ++finished) {
      if (!written[finished].empty()) std::filesystem::remove(written[finished], ignored);
    }
    throw;
  }
}

}  // namespace heed::tools
