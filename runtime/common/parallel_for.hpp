// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "heed/types.hpp"

namespace heed::detail {
inline namespace heed_own_code {

/// Calls work(worker, item) for every item in [0, items). Items are assigned round-robin to at most `workers` tasks, so
/// which task computes which item does not depend on the executor.
template <class Work>
void parallel_for_each(const Executor& executor, std::uint32_t workers, std::uint32_t items,
                       const Work& work) noexcept {
  if (items == 0) return;
  struct Deal {
    const Work* work;
    std::uint32_t items;
    std::uint32_t tasks;
  } deal{&work, items, executor.parallel_for == nullptr ? 1 : items < workers ? items : workers};
  const Executor::Task task = [](void* argument, std::uint32_t index) {
    const Deal& dealt = *static_cast<const Deal*>(argument);
    // Counted down by what is left, because item + tasks may not fit 32 bits.
    for (std::uint32_t item = index, left = dealt.items - index;; item += dealt.tasks, left -= dealt.tasks) {
      (*dealt.work)(index, item);
      if (left <= dealt.tasks) break;
    }
  };
  if (deal.tasks == 1) {
    task(&deal, 0);
  } else {
    executor.parallel_for(executor.context, deal.tasks, task, &deal);
  }
}

}  // namespace heed_own_code
}  // namespace heed::detail
