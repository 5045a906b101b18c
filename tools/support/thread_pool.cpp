// SPDX-License-Identifier: MIT
#include "support/thread_pool.hpp"

#include <chrono>

#include "support/held_signals.hpp"

namespace heed::tools {

namespace {

/// Longer than the part between two regions that one thread computes alone.
constexpr std::chrono::microseconds longest_spin{200};

/// No count of a job is as great.
constexpr std::uint32_t stop = 0xFFFF0000U;

[[nodiscard]] bool is_handed_out(std::uint32_t job) {
  return (job & 0xFFFFU) >= job >> 16;
}

/// Returns when `waits` no longer holds of the value.
template <class Waits>
void await(const std::atomic<std::uint32_t>& value, bool spins, const Waits& waits) {
  const auto end = std::chrono::steady_clock::now() + longest_spin;
  while (spins && waits(value.load(std::memory_order_acquire)) && std::chrono::steady_clock::now() < end) {
  }
  for (std::uint32_t seen = value.load(std::memory_order_acquire); waits(seen);) {
    value.wait(seen, std::memory_order_acquire);
    seen = value.load(std::memory_order_acquire);
  }
}

}  // namespace

ThreadPool::ThreadPool(std::uint32_t workers) : spins_(workers <= std::thread::hardware_concurrency()) {
  // So that a signal comes to the thread that may be holding it back.
  const HeldSignals held;
  for (std::uint32_t i = 1; i < workers; ++i) threads_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  job_.store(stop, std::memory_order_release);
  job_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Executor ThreadPool::executor() noexcept {
  return {this, [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
            static_cast<ThreadPool*>(context)->parallel_for(count, task, argument);
          }};
}

void ThreadPool::parallel_for(std::uint32_t count, Executor::Task task, void* argument) {
  task_ = task;
  argument_ = argument;
  unfinished_.store(count, std::memory_order_relaxed);
  job_.store(count << 16, std::memory_order_release);
  job_.notify_all();
  while (run_one()) {
  }
  await(unfinished_, spins_, [](std::uint32_t left) { return left != 0; });
}

/// Runs the next index, if one is left. The job stays what it is until that has returned.
bool ThreadPool::run_one() {
  std::uint32_t job = job_.load(std::memory_order_acquire);
  do {
    if (is_handed_out(job) || job == stop) return false;
  } while (!job_.compare_exchange_weak(job, job + 1, std::memory_order_acq_rel, std::memory_order_acquire));
  task_(argument_, job & 0xFFFFU);
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  return true;
}

void ThreadPool::work() {
  while (job_.load(std::memory_order_acquire) != stop) {
    if (!run_one()) await(job_, spins_, is_handed_out);
  }
}

}  // namespace heed::tools
