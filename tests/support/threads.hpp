// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "heed/types.hpp"

namespace heed::test {

/// An executor that starts one thread per task: as parallel and as disordered as it gets.
inline Executor thread_per_task() {
  return {nullptr, [](void*, std::uint32_t count, Executor::Task task, void* argument) {
            std::vector<std::thread> threads;
            for (std::uint32_t i = count; i-- > 0;) threads.emplace_back(task, argument, i);
            for (std::thread& thread : threads) thread.join();
          }};
}

}  // namespace heed::test
