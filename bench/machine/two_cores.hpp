// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

#include "support/thread_pool.hpp"

namespace heed::bench {

/// The command's pool with two workers, each on a core of its own. The caller is the first.
class TwoCores {
 public:
  TwoCores();

  [[nodiscard]] Executor executor() { return pool_.executor(); }
  [[nodiscard]] bool pinned() const { return pinned_; }

 private:
  tools::ThreadPool pool_{2};
  std::atomic<bool> pinned_{false};
};

}  // namespace heed::bench
