// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <iosfwd>
#include <string>

namespace heed::tools {

/// The work that begins now goes so many times through its parts: every line of progress says which of these passes it
/// is, from the first next_pass() on. Of one pass, which all work is otherwise, none does.
void begin_passes(std::size_t passes);
void next_pass();

/// Says how far long work is, on a line that is erased at the end. Work of less than two seconds says nothing, nor does
/// any where the line would go to no terminal.
class Progress {
 public:
  /// "block": what is counted; on standard error.
  explicit Progress(std::string unit);
  Progress(std::string unit, std::ostream& to, bool terminal, std::chrono::milliseconds wait);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(std::size_t done, std::size_t of);

 private:
  using Clock = std::chrono::steady_clock;

  std::string unit_;
  std::ostream& to_;
  bool terminal_;
  Clock::time_point next_;
  std::size_t shown_ = 0;  ///< characters of the line
};

}  // namespace heed::tools
