# SPDX-License-Identifier: MIT
#
# The processor of an ESP32-P4 with Debian's compiler, which comes without the headers of C++, and with C's in a package
# of its own.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-march=rv32imafc -mabi=ilp32f")
set(CMAKE_CXX_FLAGS_INIT "-march=rv32imafc -mabi=ilp32f --specs=picolibc.specs")
