# SPDX-License-Identifier: MIT
#
# What the toolchain files of bare 32-bit RISC-V share. They set `cpu`, the compiler's flags for the core, and
# `machine_cpu`, that of QEMU.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_C_FLAGS_INIT "${cpu}")
set(CMAKE_CXX_FLAGS_INIT "${cpu}")
set(CMAKE_ASM_FLAGS_INIT "${cpu}")
# Debian's compiler comes without headers. Those of its C library are picolibc's; those of C++, which name no processor,
# and the one file that they want of their own C library are those for Linux, which has no programs without floats for
# 32 bits, and no list of what they lack. Nothing of either library is linked, and a compiler that has its own headers
# finds these first.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -dumpversion OUTPUT_VARIABLE version ERROR_QUIET)
string(REGEX REPLACE "[^0-9].*" "" version "${version}")
set(linux /usr/riscv64-linux-gnu/include)
set(c_headers "-idirafter /usr/lib/picolibc/riscv64-unknown-elf/include")
string(APPEND CMAKE_C_FLAGS_INIT " ${c_headers}")
string(APPEND CMAKE_CXX_FLAGS_INIT " -U__riscv_float_abi_soft -idirafter ${linux}/c++/${version}"
  " -idirafter ${linux}/c++/${version}/riscv64-linux-gnu ${c_headers} -idirafter ${linux}")
# A program needs a linker script, which a check of the compiler does not have.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

# -icount makes the cycle counter count instructions.
set(counting -icount shift=0,align=off,sleep=off)
if(DEFINED HEED_COUNT_INSTRUCTIONS AND NOT HEED_COUNT_INSTRUCTIONS)
  set(counting)
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-system-riscv32 -M virt -cpu ${machine_cpu} -bios none -nic none -display none
  -monitor none -serial none -chardev stdio,id=console -semihosting-config enable=on,target=native,chardev=console
  ${counting} -kernel)

set(HEED_BOARD virt_rv32 CACHE STRING "Board")
