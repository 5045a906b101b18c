# SPDX-License-Identifier: MIT
#
# What the toolchain files of the Cortex-M family share. They set `cpu`, the compiler's flags for the core, and
# `machine`, the one of QEMU that their board is.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_C_FLAGS_INIT "${cpu}")
set(CMAKE_CXX_FLAGS_INIT "${cpu}")
# A program needs a linker script, which a check of the compiler does not have.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# Every instruction takes 64 ns of the machine's time, so that a timer counts instructions.
set(counting -icount shift=6,align=off,sleep=off)
if(DEFINED HEED_COUNT_INSTRUCTIONS AND NOT HEED_COUNT_INSTRUCTIONS)
  set(counting)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-arm -M ${machine} -display none -monitor none -serial none
  -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console ${counting} -kernel)

set(HEED_PORT arm_m CACHE STRING "Port")
