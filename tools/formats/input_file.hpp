// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace heed::tools {

/// Whether there is a file of this name, or a link, wherever that leads. A FileFailure where nobody can tell.
[[nodiscard]] bool is_there(const std::filesystem::path& file);

/// A file that is open for reading, which no expected output may replace.
class InputFile {
 public:
  /// A FileFailure if it cannot be read, or is a folder.
  explicit InputFile(const std::filesystem::path& file);
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  /// The rest of its bytes.
  [[nodiscard]] std::string read() const;

  /// As many of them as fit `to`, or as there are; their number.
  [[nodiscard]] std::size_t read(std::span<char> to) const;

  /// A Failure unless all of them can be read.
  void require_readable() const;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// 0 of what is no regular file.
  [[nodiscard]] std::size_t size() const {
    return S_ISREG(status_.st_mode) ? static_cast<std::size_t>(status_.st_size) : 0;
  }

 private:
  /// How many bytes were read; 0 at the end.
  std::size_t read_part(std::span<char> part) const;

  std::string refusal_;  ///< the message if it cannot be read, but for the reason
  int descriptor_;
  struct stat status_ {};
};

/// The content of a file: mapped into memory, so that only what is looked at is there, or read where that cannot be.
/// A part that can no longer be read when it is looked at ends the process, with a line that names the file.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& file);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] std::string_view bytes() const { return mapped_ == nullptr ? std::string_view(read_) : view_; }

  /// Takes a part of bytes() out of memory. It can be looked at again.
  void release(std::string_view part) const;

 private:
  static void end_at_lost_page(int signal, siginfo_t* info, void* context);

  std::string refusal_;  ///< the whole line, if a part is lost
  void* mapped_ = nullptr;
  std::string_view view_;
  std::string read_;
  mutable std::atomic<const MappedFile*> next_{nullptr};  ///< of those that are mapped
};

}  // namespace heed::tools
