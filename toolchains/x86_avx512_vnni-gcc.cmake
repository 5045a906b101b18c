# SPDX-License-Identifier: MIT
# The host, an x86-64 machine with AVX-512 and its VNNI, with gcc and the x86_avx512_vnni port.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(HEED_PORT x86_avx512_vnni CACHE STRING "Port")
