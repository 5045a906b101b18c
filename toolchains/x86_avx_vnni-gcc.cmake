# SPDX-License-Identifier: MIT
# The host, an x86-64 machine with AVX2 and AVX-VNNI, with gcc and the x86_avx_vnni port.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(HEED_PORT x86_avx_vnni CACHE STRING "Port")
