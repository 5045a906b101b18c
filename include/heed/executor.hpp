// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/detail/language.hpp"

namespace heed {

/// The caller's way to run independent tasks at the same time: a desktop's thread pool, the cores of an RTOS.
/// The runtime itself creates no threads.
struct Executor {
  using Task = void (*)(void* argument, std::uint32_t index);

  /// Passed to parallel_for unchanged.
  void* context = nullptr;

  /// Calls task(argument, index) exactly once for every index in [0, count), in any order and on any thread, and
  /// returns when all have returned. count never exceeds the plan's workers. Null: everything runs in the caller.
  void (*parallel_for)(void* context, std::uint32_t count, Task task, void* argument) = nullptr;
};

}  // namespace heed
