// SPDX-License-Identifier: MIT
//
// An executor for the two cores of a FreeRTOS (version 11 or later, SMP): the task that calls the library and a helper
// on another core. One task uses it at a time.
// Of FreeRTOSConfig.h: configNUMBER_OF_CORES 2, configUSE_CORE_AFFINITY 1, configSUPPORT_STATIC_ALLOCATION 1.
#pragma once

#include <FreeRTOS.h>
#include <semphr.h>
#include <task.h>

#include <cstddef>
#include <cstdint>

#include "heed/types.hpp"

/// `stack_words` are of StackType_t: at least what docs/figures.md has for the target, and the frames of interrupts.
template <std::size_t stack_words>
class FreeRtosExecutor {
 public:
  FreeRtosExecutor() = default;
  FreeRtosExecutor(const FreeRtosExecutor&) = delete;
  FreeRtosExecutor& operator=(const FreeRtosExecutor&) = delete;

  /// Makes the helper, once, on core `core`; the caller's own task has to run on the other one. False: it was not made.
  [[nodiscard]] bool start(UBaseType_t priority, UBaseType_t core) {
    begin_ = xSemaphoreCreateBinaryStatic(&begin_memory_);
    end_ = xSemaphoreCreateBinaryStatic(&end_memory_);
    if (begin_ == nullptr || end_ == nullptr) return false;
    return xTaskCreateStaticAffinitySet(&serve, "heed", stack_words, this, priority, stack_, &task_memory_,
                                        UBaseType_t{1} << core) != nullptr;
  }

  [[nodiscard]] heed::Executor executor() { return {this, &parallel_for}; }

 private:
  static void serve(void* self) {
    auto& helper = *static_cast<FreeRtosExecutor*>(self);
    for (;;) {
      if (xSemaphoreTake(helper.begin_, portMAX_DELAY) != pdTRUE) continue;
      helper.task_(helper.argument_, 1);
      xSemaphoreGive(helper.end_);
    }
  }

  /// The helper takes index 1 and the caller all others, of which a plan of two workers has one.
  static void parallel_for(void* self, std::uint32_t count, heed::Executor::Task task, void* argument) {
    auto& helper = *static_cast<FreeRtosExecutor*>(self);
    if (count > 1) {
      helper.task_ = task;
      helper.argument_ = argument;
      xSemaphoreGive(helper.begin_);
    }
    for (std::uint32_t index = 0; index < count; ++index) {
      if (index != 1) task(argument, index);
    }
    while (count > 1 && xSemaphoreTake(helper.end_, portMAX_DELAY) != pdTRUE) {
    }
  }

  heed::Executor::Task task_ = nullptr;
  void* argument_ = nullptr;
  SemaphoreHandle_t begin_ = nullptr;
  SemaphoreHandle_t end_ = nullptr;
  StaticSemaphore_t begin_memory_{};
  StaticSemaphore_t end_memory_{};
  StaticTask_t task_memory_{};
  StackType_t stack_[stack_words]{};
};
