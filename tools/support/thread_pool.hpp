// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "heed/types.hpp"

namespace heed::tools {

/// A few threads behind heed::Executor. The calling thread works too, so a pool of N workers starts N - 1 threads.
/// One parallel_for() at a time. Who has nothing to do spins for a while before it sleeps: the parallel regions of a
/// model follow one another within microseconds, and a thread that sleeps takes longer than that to wake.
class ThreadPool {
 public:
  explicit ThreadPool(std::uint32_t workers);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// Points to this pool.
  [[nodiscard]] Executor executor() noexcept;

  /// `count` is at most 2^16 - 2.
  void parallel_for(std::uint32_t count, Executor::Task task, void* argument);

 private:
  bool run_one();
  void work();

  bool spins_;  ///< every worker may have a core of its own
  Executor::Task task_ = nullptr;
  void* argument_ = nullptr;
  // Each on a line of its own: all threads look at them while they spin.
  alignas(64) std::atomic<std::uint32_t> job_{0};         ///< count of indices << 16 | first one not handed out
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};  ///< indices that have not returned
  std::vector<std::thread> threads_;
};

}  // namespace heed::tools
