# SPDX-License-Identifier: MIT
# 64-bit Arm Linux on a CPU with dot products and matrix products of bytes, with clang and the arm_neon64_i8mm port.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(HEED_PORT arm_neon64_i8mm CACHE STRING "Port")
set(emulator qemu-aarch64 -cpu max)
set(triple aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux-clang.cmake)
set(CMAKE_C_FLAGS_INIT "-march=armv8.2-a+dotprod+i8mm")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
