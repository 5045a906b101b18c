# SPDX-License-Identifier: MIT
# The host, an x86-64 machine with AVX-512 and its VNNI, with clang and the x86_avx512_vnni port.
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(HEED_PORT x86_avx512_vnni CACHE STRING "Port")
