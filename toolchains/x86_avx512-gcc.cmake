# SPDX-License-Identifier: MIT
# The host, an x86-64 machine with AVX-512, with gcc and the x86_avx512 port.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(HEED_PORT x86_avx512 CACHE STRING "Port")
