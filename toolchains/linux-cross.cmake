# SPDX-License-Identifier: MIT
#
# What all cross builds for Linux share, whatever the compiler. The including files set `triple` and `emulator`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator})
set(HEED_BUILD_TOOLS OFF CACHE BOOL "The desktop command needs libraries of the host")
set(HEED_BUILD_BENCH OFF CACHE BOOL "Times under an emulator mean nothing")

# Static programs run in the emulator as they are.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_FIND_ROOT_PATH /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
