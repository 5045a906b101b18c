// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "heed/executor.hpp"

namespace heed::tools {

/// A few threads behind heed::Executor. The calling thread works too, so a pool of N workers starts N - 1 threads.
/// One parallel_for() at a time.
class ThreadPool {
 public:
  explicit ThreadPool(std::uint32_t workers);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool() = default;

  /// Points to this pool.
  [[nodiscard]] Executor executor() noexcept;

  void parallel_for(std::uint32_t count, Executor::Task task, void* argument);

 private:
  void run_one(std::unique_lock<std::mutex>& lock);
  void work(const std::stop_token& stop);

  std::mutex mutex_;  ///< guards the six members below; a task is long enough that taking it costs nothing
  std::condition_variable_any started_;
  std::condition_variable finished_;
  Executor::Task task_ = nullptr;
  void* argument_ = nullptr;
  std::uint32_t next_ = 0;   ///< first index not handed out
  std::uint32_t count_ = 0;  ///< indices of the current job
  std::uint32_t unfinished_ = 0;
  std::vector<std::jthread> threads_;  ///< last, so that they stop before anything they use is gone
};

}  // namespace heed::tools
