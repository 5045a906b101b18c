// SPDX-License-Identifier: MIT
#include "support/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace heed::tools {

Progress::Progress(std::string unit)
    : unit_(std::move(unit)), terminal_(::isatty(STDERR_FILENO) != 0), next_(Clock::now() + std::chrono::seconds(2)) {}

Progress::~Progress() {
  if (shown_ != 0) std::cerr << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
}

void Progress::show(std::size_t done, std::size_t of) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const std::string line = unit_ + ' ' + std::to_string(done) + " of " + std::to_string(of);
  std::cerr << '\r' << line << std::flush;
  shown_ = std::max(shown_, line.size());
}

}  // namespace heed::tools
