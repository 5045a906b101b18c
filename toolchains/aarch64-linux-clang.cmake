# SPDX-License-Identifier: MIT
# 64-bit Arm Linux, with clang and the arm_neon64 port.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(HEED_PORT arm_neon64 CACHE STRING "Port")
set(emulator qemu-aarch64)
set(triple aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux-clang.cmake)
