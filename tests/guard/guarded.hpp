// SPDX-License-Identifier: MIT
//
// Memory between two pages that may not be touched. The idea is KleidiAI's: a byte read or written outside a buffer
// ends the process, at the instruction that did it, with no instrumentation of the code under test.
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace heed::test {

/// Which end of a buffer touches its forbidden page. A buffer can touch one at a time, so every case runs twice.
enum class Edge { front, back };

class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t most_bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    bytes_ = (most_bytes + page_ - 1) / page_ * page_;
    void* memory = mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(static_cast<char*>(memory) + page_, bytes_, PROT_READ | PROT_WRITE) != 0) {
      std::perror("guarded memory");
      std::abort();
    }
    start_ = static_cast<std::byte*>(memory) + page_;
  }
  ~GuardedMemory() { munmap(start_ - page_, bytes_ + 2 * page_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// `bytes` bytes at one end; those at the back end exactly where the page begins.
  [[nodiscard]] std::span<std::byte> place(std::size_t bytes, Edge edge) const {
    if (bytes > bytes_) std::abort();
    return {edge == Edge::front ? start_ : start_ + (bytes_ - bytes), bytes};
  }

  [[nodiscard]] std::span<float> floats(std::size_t count, Edge edge) const {
    return {reinterpret_cast<float*>(place(count * sizeof(float), edge).data()), count};
  }

  /// The same, holding the first `count` of `values`.
  [[nodiscard]] std::span<const float> copy(std::span<const float> values, std::size_t count, Edge edge) const {
    const std::span<float> to = floats(count, edge);
    std::memcpy(to.data(), values.data(), to.size_bytes());
    return to;
  }

 private:
  std::size_t page_;
  std::size_t bytes_;
  std::byte* start_;
};

/// Says which case was running when a forbidden page was touched.
class FaultReport {
 public:
  FaultReport() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
      const ssize_t written = write(STDERR_FILENO, text_, std::strlen(text_));
      static_cast<void>(written);
      ::signal(signal, SIG_DFL);
      raise(signal);
    };
    sigaction(SIGSEGV, &action, nullptr);
    sigaction(SIGBUS, &action, nullptr);
  }

  [[gnu::format(printf, 2, 3)]] void running(const char* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::snprintf(text_, sizeof text_, "touched memory outside a buffer in: ");
    std::vsnprintf(text_ + length, sizeof text_ - static_cast<std::size_t>(length) - 2, format, arguments);
    std::strcat(text_, "\n");
    va_end(arguments);
  }

 private:
  static inline char text_[256] = "";
};

}  // namespace heed::test
