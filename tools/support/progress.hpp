// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace heed::tools {

/// Says how far long work is, on a line of standard error that is erased at the end. Work of less than two seconds says
/// nothing, nor does any where standard error is no terminal.
class Progress {
 public:
  /// "block": what is counted.
  explicit Progress(std::string unit);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void show(std::size_t done, std::size_t of);

 private:
  using Clock = std::chrono::steady_clock;

  std::string unit_;
  bool terminal_;
  Clock::time_point next_;
  std::size_t shown_ = 0;  ///< characters of the line
};

}  // namespace heed::tools
