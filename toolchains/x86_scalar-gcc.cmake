# SPDX-License-Identifier: MIT
# The host, an x86-64 machine, with gcc and the scalar port.
set(CMAKE_C_COMPILER gcc)
set(CMAKE_CXX_COMPILER g++)
set(HEED_PORT scalar CACHE STRING "Port")
