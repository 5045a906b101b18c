# SPDX-License-Identifier: MIT
# 64-bit RISC-V Linux, with gcc and the scalar port.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(HEED_PORT scalar CACHE STRING "Port")
set(emulator qemu-riscv64)
set(triple riscv64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gcc.cmake)
