// SPDX-License-Identifier: MIT
#include "formats/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/input_file.hpp"
#include "support/failure.hpp"
#include "support/held_signals.hpp"

namespace heed::tools {

namespace {

/// `refusal` is the message but for the reason.
Failure cannot_write(const std::string& refusal) {
  return Failure(refusal + ": " + system_reason());
}

/// What a file holds, one after the other.
struct Content {
  std::string_view first;
  std::string_view last;
};

/// How soon a signal that is held back is looked for.
constexpr std::size_t most_at_once = std::size_t{1} << 20;

/// False, with the reason in errno, unless all bytes are written.
bool write_all(int descriptor, std::string_view bytes, const HeldSignals* held) {
  bool good = true;
  while (good && !bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), std::min(bytes.size(), most_at_once));
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
    good = written > 0 || (written < 0 && errno == EINTR);
    if (good && held != nullptr && held->came()) {
      errno = EINTR;
      good = false;
    }
  }
  return good;
}

/// Writes all bytes to an open file and closes it; false, with the reason in errno, if either fails, or if one of the
/// signals has come.
bool write_and_close(int descriptor, const Content& content, const HeldSignals* held) {
  const bool good = write_all(descriptor, content.first, held) && write_all(descriptor, content.last, held);
  const int error = errno;
  const bool closed = ::close(descriptor) == 0;
  if (!good) errno = error;
  return good && closed;
}

/// For a device or a pipe.
void write_in_place(const OutputPlace& place, const Content& content) {
  errno = 0;
  const int descriptor = ::open(place.file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !write_and_close(descriptor, content, nullptr)) throw cannot_write(place.refusal);
}

/// The permissions that the umask leaves to a new file. No other thread creates files meanwhile.
mode_t usual_permissions() {
  const mode_t hidden = ::umask(0);
  ::umask(hidden);
  return 0666 & ~hidden;
}

/// Writes a file of a name that no other has, in the folder of the place. Returns where it is.
std::filesystem::path write_beside(const OutputPlace& place, const Content& content, const HeldSignals& held) {
  std::string name = (place.file.parent_path() / ".heed-XXXXXX").string();
  errno = 0;
  const int descriptor = ::mkstemp(name.data());
  if (descriptor < 0) throw cannot_write(place.refusal);
  const bool permitted = ::fchmod(descriptor, usual_permissions()) == 0;
  if (!write_and_close(descriptor, permitted ? content : Content{}, &held) || !permitted) {
    const Failure failure = cannot_write(place.refusal);
    std::error_code ignored;
    std::filesystem::remove(name, ignored);
    throw failure;
  }
  return name;
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  return InputFile(file).read();
}

std::optional<std::string> read_optional_file(const std::filesystem::path& file) {
  if (!is_there(file)) return {};
  return read_file(file);
}

void OutputFiles::add(const std::filesystem::path& file, std::string bytes, const std::string& option) {
  outputs_.push_back({expect_output(file, option), {}, std::move(bytes)});
}

void OutputFiles::add_view(const std::filesystem::path& file, std::string_view bytes, const std::string& option,
                           std::string last) {
  outputs_.push_back({expect_output(file, option), bytes, std::move(last)});
}

void OutputFiles::write() const {
  require_unchanged_inputs();
  // First, as whoever reads a pipe may be slow: a signal ends that at once, and leaves nothing behind.
  for (const auto& [place, view, bytes] : outputs_) {
    if (place.in_place) write_in_place(place, {view, bytes});
  }
  const HeldSignals held;
  std::vector<std::filesystem::path> written;  // beside their places; empty for what was written in place
  written.reserve(outputs_.size());
  std::size_t finished = 0;
  try {
    for (const auto& [place, view, bytes] : outputs_) {
      written.push_back(place.in_place ? std::filesystem::path() : write_beside(place, {view, bytes}, held));
    }
    for (; finished < outputs_.size(); ++finished) {
      const OutputPlace& place = outputs_[finished].place;
      if (!place.in_place && std::rename(written[finished].c_str(), place.file.c_str()) != 0) {
        throw cannot_write(place.refusal);
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
