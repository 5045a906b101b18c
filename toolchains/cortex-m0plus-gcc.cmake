# SPDX-License-Identifier: MIT
# Cortex-M0+, bare metal, without an FPU, with g++. A board with a Cortex-M3 runs its code.
set(cpu "-mcpu=cortex-m0plus -mfloat-abi=soft")
set(machine mps2-an385)
set(HEED_PORT arm_m0 CACHE STRING "Port")
set(HEED_BOARD mps2_an385 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
