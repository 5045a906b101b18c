// SPDX-License-Identifier: MIT
//
// An executor for the two cores of a Zephyr: the thread that calls the library and a helper on another core. One
// thread uses it at a time. Of prj.conf: CONFIG_SMP, CONFIG_SCHED_CPU_MASK and, with an FPU, CONFIG_FPU_SHARING.
// main() runs already and cannot be pinned (k_thread_cpu_pin() returns -EINVAL): a thread that calls start() and then
// the library is created with K_FOREVER, pinned to its core, and started.
#pragma once

#include <zephyr/kernel.h>

#include <cstddef>
#include <cstdint>

#include "heed/types.hpp"

class ZephyrExecutor {
 public:
  ZephyrExecutor() = default;
  ZephyrExecutor(const ZephyrExecutor&) = delete;
  ZephyrExecutor& operator=(const ZephyrExecutor&) = delete;

  /// Makes the helper, once, on core `core`. `stack` is of K_THREAD_STACK_DEFINE: at least what docs/figures.md has for
  /// the target, and the frames of interrupts. `options`: K_FP_REGS where the floats have registers. False: the calling
  /// thread may run on that core, too, where both would take turns; or the helper was not made.
  [[nodiscard]] bool start(k_thread_stack_t* stack, std::size_t stack_bytes, int priority, int core,
                           std::uint32_t options) {
    if ((k_current_get()->base.cpu_mask & (1U << core)) != 0) return false;
    if (k_sem_init(&begin_, 0, 1) != 0 || k_sem_init(&end_, 0, 1) != 0) return false;
    const k_tid_t helper =
        k_thread_create(&thread_, stack, stack_bytes, &serve, this, nullptr, nullptr, priority, options, K_FOREVER);
    if (k_thread_cpu_pin(helper, core) != 0) return false;
    k_thread_start(helper);
    return true;
  }

  [[nodiscard]] heed::Executor executor() { return {this, &parallel_for}; }

 private:
  static void serve(void* self, void* /*unused*/, void* /*unused*/) {
    auto& helper = *static_cast<ZephyrExecutor*>(self);
    for (;;) {
      if (k_sem_take(&helper.begin_, K_FOREVER) != 0) continue;
      helper.task_(helper.argument_, 1);
      k_sem_give(&helper.end_);
    }
  }

  /// The helper takes index 1 and the caller all others, of which a plan of two workers has one.
  static void parallel_for(void* self, std::uint32_t count, heed::Executor::Task task, void* argument) {
    auto& helper = *static_cast<ZephyrExecutor*>(self);
    if (count > 1) {
      helper.task_ = task;
      helper.argument_ = argument;
      k_sem_give(&helper.begin_);
    }
    for (std::uint32_t index = 0; index < count; ++index) {
      if (index != 1) task(argument, index);
    }
    while (count > 1 && k_sem_take(&helper.end_, K_FOREVER) != 0) {
    }
  }

  heed::Executor::Task task_ = nullptr;
  void* argument_ = nullptr;
  k_sem begin_{};
  k_sem end_{};
  k_thread thread_{};
};
