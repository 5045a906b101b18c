// SPDX-License-Identifier: MIT
#include "support/held_signals.hpp"

namespace heed::tools {

namespace {

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};

}  // namespace

HeldSignals::HeldSignals() {
  ::sigemptyset(&held_);
  for (const int signal : ending_signals) {
    struct sigaction action {};
    // One that is ignored, as nohup has it, would count as one that came.
    const bool ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (!ignored) ::sigaddset(&held_, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool HeldSignals::came() const {
  sigset_t pending{};
  if (::sigpending(&pending) != 0) return false;
  for (const int signal : ending_signals) {
    if (::sigismember(&held_, signal) == 1 && ::sigismember(&pending, signal) == 1) return true;
  }
  return false;
}

}  // namespace heed::tools
