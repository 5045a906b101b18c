# SPDX-License-Identifier: MIT
#
# What the Linux toolchains for RISC-V with vectors share: clang 19, whose -mrvv-vector-bits says how long a register is.
# The including files set `vector_bits`.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(HEED_PORT riscv_rvv CACHE STRING "Port")
set(emulator qemu-riscv64 -cpu rv64,v=true,vlen=${vector_bits},elen=64,vext_spec=v1.0)
set(triple riscv64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/linux-clang.cmake)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_FLAGS_INIT "-march=rv64gcv_zvl${vector_bits}b -mrvv-vector-bits=zvl")
set(CMAKE_CXX_FLAGS_INIT "${CMAKE_C_FLAGS_INIT}")
