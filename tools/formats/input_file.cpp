// SPDX-License-Identifier: MIT
#include "formats/input_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <span>
#include <system_error>
#include <vector>

#include "formats/output_place.hpp"
#include "support/failure.hpp"
#include "support/printable.hpp"

namespace heed::tools {

namespace {

/// All mapped files, for a handler that must not wait for a lock.
std::atomic<const MappedFile*> first_mapped{nullptr};

}  // namespace

bool is_there(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, error);
  if (status.type() == std::filesystem::file_type::none) {
    throw FileFailure("cannot read " + file.string() + ": " + error.message());
  }
  return std::filesystem::exists(status);
}

InputFile::InputFile(const std::filesystem::path& file) : refusal_("cannot read " + file.string() + ": ") {
  errno = 0;
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  std::string reason;
  if (descriptor_ < 0 || ::fstat(descriptor_, &status_) != 0) {
    reason = system_reason();
  } else if (S_ISDIR(status_.st_mode)) {
    reason = "it is a folder";
  }
  if (reason.empty()) {
    try {
      expect_input(file, status_);
      return;
    } catch (...) {
      ::close(descriptor_);
      throw;
    }
  }
  if (descriptor_ >= 0) ::close(descriptor_);
  throw FileFailure(refusal_ + reason);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

std::size_t InputFile::read_part(std::span<char> part) const {
  for (;;) {
    const ssize_t count = ::read(descriptor_, part.data(), part.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw FileFailure(refusal_ + system_reason());
  }
}

std::string InputFile::read() const {
  std::string bytes;
  bytes.reserve(size());
  std::vector<char> part(std::size_t{1} << 16);
  while (const std::size_t count = read_part(part)) bytes.append(part.data(), count);
  return bytes;
}

std::size_t InputFile::read(std::span<char> to) const {
  std::size_t done = 0;
  while (const std::size_t count = read_part(to.subspan(done))) done += count;
  return done;
}

void InputFile::require_readable() const {
  std::vector<char> part(std::size_t{1} << 20);
  while (read_part(part) != 0) continue;
}

/// SIGBUS: a page of a mapped file cannot be read. Its medium fails, or somebody has cut the file.
void MappedFile::end_at_lost_page(int signal, siginfo_t* info, void* /*context*/) {
  for (const MappedFile* file = first_mapped; file != nullptr; file = file->next_) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(info->si_addr) - reinterpret_cast<std::uintptr_t>(file->mapped_);
    if (offset >= file->view_.size()) continue;
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, file->refusal_.data(), file->refusal_.size());
    ::_exit(exit_trouble);
  }
  static_cast<void>(std::signal(signal, SIG_DFL));  // which the same access ends by
}

MappedFile::MappedFile(const std::filesystem::path& file)
    : refusal_("heed: cannot read " + printable(file.string()) + ": it was cut while it was read, or it is broken\n") {
  const InputFile input(file);
  void* place = MAP_FAILED;
  if (input.size() != 0) place = ::mmap(nullptr, input.size(), PROT_READ, MAP_PRIVATE, input.descriptor(), 0);
  if (place == MAP_FAILED) {
    read_ = input.read();
    return;
  }
  mapped_ = place;
  view_ = {static_cast<const char*>(place), input.size()};
  try {
    input.require_readable();
  } catch (...) {
    ::munmap(mapped_, view_.size());
    throw;
  }
  next_ = first_mapped.load();
  first_mapped = this;
  struct sigaction action {};
  action.sa_sigaction = &end_at_lost_page;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

MappedFile::~MappedFile() {
  if (mapped_ == nullptr) return;
  std::atomic<const MappedFile*>* link = &first_mapped;
  while (*link != this) link = &link->load()->next_;
  *link = next_.load();
  ::munmap(mapped_, view_.size());
}

void MappedFile::release(std::string_view part) const {
  if (mapped_ == nullptr || part.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(part.data()) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(part.data()) + part.size();
  // Whole pages, of which another part may lie in the outermost: it is read from the file again.
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED));
}

}  // namespace heed::tools
