// SPDX-License-Identifier: MIT
#include "two_cores.hpp"

#include "measure.hpp"

namespace heed::bench {

TwoCores::TwoCores() : second_([this] { work(); }) {
  // The first task also waits until the second worker stands on its core.
  executor().parallel_for(
      this, 2, [](void* /*argument*/, std::uint32_t /*index*/) {}, nullptr);
}

TwoCores::~TwoCores() {
  stop_ = true;
  second_.join();
}

void TwoCores::parallel_for(void* context, std::uint32_t count, Executor::Task task, void* argument) {
  TwoCores& self = *static_cast<TwoCores*>(context);
  self.task_ = task;
  self.argument_ = argument;
  self.count_ = count;
  const std::uint32_t turn = self.given_.load(std::memory_order_relaxed) + 1;
  self.given_.store(turn, std::memory_order_release);
  for (std::uint32_t index = 0; index < count; index += 2) task(argument, index);
  while (self.done_.load(std::memory_order_acquire) != turn) {
  }
}

void TwoCores::work() {
  pinned_ = pin_to_core(1);
  for (std::uint32_t turn = 1;; ++turn) {
    while (given_.load(std::memory_order_acquire) != turn) {
      if (stop_.load(std::memory_order_relaxed)) return;
    }
    for (std::uint32_t index = 1; index < count_; index += 2) task_(argument_, index);
    done_.store(turn, std::memory_order_release);
  }
}

}  // namespace heed::bench
