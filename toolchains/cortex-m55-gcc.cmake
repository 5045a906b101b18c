# SPDX-License-Identifier: MIT
# Cortex-M55, bare metal, with g++.
set(cpu "-mcpu=cortex-m55 -mfloat-abi=hard")
set(machine mps3-an547)
set(HEED_PORT arm_mve CACHE STRING "Port")
set(HEED_BOARD mps3_an547 CACHE STRING "Board")
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m-gcc.cmake)
