# SPDX-License-Identifier: MIT
# 32-bit RISC-V with single floats (RV32IMAFC: ESP32-P4 and its like), bare metal, with g++ and the riscv_f port.
set(cpu "-march=rv32imafc -mabi=ilp32f")
set(machine_cpu rv32)
set(HEED_PORT riscv_f CACHE STRING "Port")
include(${CMAKE_CURRENT_LIST_DIR}/riscv32-gcc.cmake)
