// SPDX-License-Identifier: MIT
#pragma once

namespace heed::test {

/// While one of these lives, in any thread, every allocation and every release of memory ends the process with a
/// message. The program must be linked with heap_trap.cpp and the --wrap options that its CMake target has.
class HeapForbidden {
 public:
  HeapForbidden() noexcept;
  ~HeapForbidden() noexcept;
  HeapForbidden(const HeapForbidden&) = delete;
  HeapForbidden& operator=(const HeapForbidden&) = delete;
};

}  // namespace heed::test
