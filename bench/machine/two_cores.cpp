// SPDX-License-Identifier: MIT
#include "machine/two_cores.hpp"

#include <thread>

#include "machine/measure.hpp"

namespace heed::bench {

/// The second thread starts on the caller's core. It has one of the two indices, because the caller does not return
/// from the other before.
TwoCores::TwoCores() {
  struct Start {
    TwoCores* cores;
    std::thread::id caller;
    std::atomic<std::uint32_t> there{0};
  } start{this, std::this_thread::get_id()};
  pool_.parallel_for(
      2,
      [](void* argument, std::uint32_t /*index*/) {
        Start& both = *static_cast<Start*>(argument);
        if (std::this_thread::get_id() != both.caller) both.cores->pinned_ = pin_to_core(1);
        ++both.there;
        while (both.there != 2) std::this_thread::yield();
      },
      &start);
}

}  // namespace heed::bench
