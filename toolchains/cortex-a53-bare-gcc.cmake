# SPDX-License-Identifier: MIT
# Cortex-A53, bare metal, with g++ and the arm_neon64 port. Debian has no bare-metal compiler for AArch64; that for Linux
# does, because nothing of its C library is linked.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-a53 -fno-pie -mno-outline-atomics")
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a53 -fno-pie -mno-outline-atomics")
# A program needs a linker script, which a check of the compiler does not have.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# -icount makes the performance monitor count instructions.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-aarch64 -M virt -cpu cortex-a53 -nic none -display none -monitor none
  -serial none
  -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console
  -icount shift=0,align=off,sleep=off -kernel)

set(HEED_BOARD virt_a53 CACHE STRING "Board")
set(HEED_PORT arm_neon64 CACHE STRING "Port")
