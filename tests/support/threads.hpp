// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

#include "heed/types.hpp"

namespace heed::test {

/// An executor that starts a thread for each task but the first, which is the calling thread's: as parallel and as
/// disordered as it gets.
inline Executor thread_per_task() {
  return {nullptr, [](void*, std::uint32_t count, Executor::Task task, void* argument) {
            std::vector<std::thread> threads;
            for (std::uint32_t i = count; i-- > 1;) threads.emplace_back(task, argument, i);
            if (count != 0) task(argument, 0);
            for (std::thread& thread : threads) thread.join();
          }};
}

}  // namespace heed::test
