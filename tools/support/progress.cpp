// SPDX-License-Identifier: MIT
#include "support/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

namespace heed::tools {

namespace {

/// Of the work that this process does, which has one standard error.
struct Passes {
  std::size_t of = 1;
  std::size_t begun = 0;
  std::chrono::steady_clock::time_point start{};
};

Passes& passes() {
  static Passes all;
  return all;
}

/// Until two seconds of the work have passed, which many short passes may take together.
std::chrono::milliseconds quiet() {
  using std::chrono::milliseconds;
  constexpr milliseconds all(2000);
  if (passes().of == 1) return all;
  const auto passed = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - passes().start);
  return std::max(all - passed, milliseconds(0));
}

}  // namespace

void begin_passes(std::size_t count) {
  passes() = {count, 0, std::chrono::steady_clock::now()};
}

void next_pass() {
  ++passes().begun;
}

Progress::Progress(std::string unit) : Progress(std::move(unit), std::cerr, ::isatty(STDERR_FILENO) != 0, quiet()) {}

Progress::Progress(std::string unit, std::ostream& to, bool terminal, std::chrono::milliseconds wait)
    : unit_(std::move(unit)), to_(to), terminal_(terminal), next_(Clock::now() + wait) {}

Progress::~Progress() {
  if (shown_ != 0) to_ << '\r' << std::string(shown_, ' ') << '\r' << std::flush;
}

void Progress::show(std::size_t done, std::size_t of) {
  const Clock::time_point now = Clock::now();
  if (!terminal_ || now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  std::string line;
  if (const Passes& all = passes(); all.of > 1 && all.begun != 0) {
    line = "pass " + std::to_string(all.begun) + " of " + std::to_string(all.of) + ", ";
  }
  line += unit_ + ' ' + std::to_string(done) + " of " + std::to_string(of);
  to_ << '\r' << line << std::flush;
  shown_ = std::max(shown_, line.size());
}

}  // namespace heed::tools
