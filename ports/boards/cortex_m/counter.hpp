// SPDX-License-Identifier: MIT
#pragma once

namespace heed::board {

/// Lets SysTick run from the core's clock.
void start_counter();

/// The handler of the SysTick exception.
void counter_wrapped();

}  // namespace heed::board
