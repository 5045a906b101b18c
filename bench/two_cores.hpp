// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "heed/executor.hpp"

namespace heed::bench {

/// A second worker on its own core that waits for tasks by spinning, so that handing one over costs what a message
/// between two caches costs, and the core never goes to sleep. The caller is the first worker.
class TwoCores {
 public:
  TwoCores();
  ~TwoCores();
  TwoCores(const TwoCores&) = delete;
  TwoCores& operator=(const TwoCores&) = delete;

  [[nodiscard]] Executor executor() { return {this, &TwoCores::parallel_for}; }
  [[nodiscard]] bool pinned() const { return pinned_; }

 private:
  static void parallel_for(void* context, std::uint32_t count, Executor::Task task, void* argument);
  void work();

  Executor::Task task_ = nullptr;
  void* argument_ = nullptr;
  std::uint32_t count_ = 0;
  // Each on a line of its own: one is written by the caller, the other by the second worker.
  alignas(64) std::atomic<std::uint32_t> given_{0};
  alignas(64) std::atomic<std::uint32_t> done_{0};
  std::atomic<bool> stop_{false};
  std::atomic<bool> pinned_{false};
  std::thread second_;
};

}  // namespace heed::bench
