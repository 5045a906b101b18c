# SPDX-License-Identifier: MIT
# 64-bit RISC-V Linux with vector registers of 128 bits, with clang and the riscv_rvv port.
set(vector_bits 128)
include(${CMAKE_CURRENT_LIST_DIR}/riscv64-rvv.cmake)
