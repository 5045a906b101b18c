# SPDX-License-Identifier: MIT
# 32-bit RISC-V without floating point (RV32IMC: ESP32-C3, C6 and their like), bare metal, with g++ and the riscv_i port.
# Counters were part of the base until 2019; that a compiler has libraries for it under its later names is not sure.
set(cpu "-march=rv32imc -mabi=ilp32 -misa-spec=2.2")
set(machine_cpu rv32,f=off,d=off)
set(HEED_PORT riscv_i CACHE STRING "Port")
include(${CMAKE_CURRENT_LIST_DIR}/riscv32-gcc.cmake)
