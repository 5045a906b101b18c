# SPDX-License-Identifier: MIT
# 32-bit Arm Linux on a CPU with VFPv4, which has a divider too, with gcc and the arm_neon32 port.
set(CMAKE_SYSTEM_PROCESSOR armv7)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-a15 -mfpu=neon-vfpv4 -mfloat-abi=hard")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
set(HEED_PORT arm_neon32 CACHE STRING "Port")
set(emulator qemu-arm -cpu cortex-a15)
set(triple arm-linux-gnueabihf)
include(${CMAKE_CURRENT_LIST_DIR}/linux-gcc.cmake)
