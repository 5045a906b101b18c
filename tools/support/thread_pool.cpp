// SPDX-License-Identifier: MIT
#include "support/thread_pool.hpp"

namespace heed::tools {

ThreadPool::ThreadPool(std::uint32_t workers) {
  for (std::uint32_t i = 1; i < workers; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

Executor ThreadPool::executor() noexcept {
  return {this, [](void* context, std::uint32_t count, Executor::Task task, void* argument) {
            static_cast<ThreadPool*>(context)->parallel_for(count, task, argument);
          }};
}

void ThreadPool::parallel_for(std::uint32_t count, Executor::Task task, void* argument) {
  std::unique_lock lock(mutex_);
  task_ = task;
  argument_ = argument;
  next_ = 0;
  count_ = count;
  unfinished_ = count;
  started_.notify_all();
  while (next_ < count_) run_one(lock);
  finished_.wait(lock, [this] { return unfinished_ == 0; });
}

void ThreadPool::run_one(std::unique_lock<std::mutex>& lock) {
  const std::uint32_t index = next_++;
  lock.unlock();
  task_(argument_, index);
  lock.lock();
  if (--unfinished_ == 0) finished_.notify_one();
}

void ThreadPool::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (started_.wait(lock, stop, [this] { return next_ < count_; })) run_one(lock);
}

}  // namespace heed::tools
