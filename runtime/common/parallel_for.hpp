// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/executor.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Calls work(worker, item) for every item in [0, items). Items are assigned round-robin to at most `workers` tasks, so
/// which task computes which item does not depend on the executor.
template <class Work>
void parallel_for_each(const Executor& executor, std::uint32_t workers, std::uint32_t items,
                       const Work& work) noexcept {
  const auto tasks = items < workers ? items : workers;
  if (executor.parallel_for == nullptr || tasks <= 1) {
    for (std::uint32_t item = 0; item < items; ++item) work(0, item);
    return;
  }
  struct Deal {
    const Work* work;
    std::uint32_t items;
    std::uint32_t tasks;
  } deal{&work, items, tasks};
  executor.parallel_for(
      executor.context, tasks,
      [](void* argument, std::uint32_t task) {
        const Deal& dealt = *static_cast<const Deal*>(argument);
        // Counted down by what is left, because item + tasks may not fit 32 bits.
        for (std::uint32_t item = task, left = dealt.items - task;; item += dealt.tasks, left -= dealt.tasks) {
          (*dealt.work)(task, item);
          if (left <= dealt.tasks) break;
        }
      },
      &deal);
}

}  // namespace heed_own_code
}  // namespace heed::detail
