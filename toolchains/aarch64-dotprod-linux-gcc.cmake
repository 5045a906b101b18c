# SPDX-License-Identifier: MIT
# 64-bit Arm Linux on a CPU with dot products of bytes, with gcc and the arm_neon64_dotprod port.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(HEED_PORT arm_neon64_dotprod CACHE STRING "Port")
set(emulator qemu-aarch64 -cpu max)
set(triple aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gcc.cmake)
set(CMAKE_C_FLAGS_INIT "-march=armv8.2-a+dotprod")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
