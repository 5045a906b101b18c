// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

namespace heed::tools {

/// Holds back the signals that end a command from outside, as Ctrl-C does, for this thread and for those that it starts
/// meanwhile. One that came ends the process when this does.
class HeldSignals {
 public:
  HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals();

  /// Whether one has come.
  [[nodiscard]] bool came() const;

 private:
  sigset_t held_{};
  sigset_t before_{};
};

}  // namespace heed::tools
