# SPDX-License-Identifier: MIT
#
# xsimd's headers for the target `heed`, through a private directory that holds nothing else: the distribution's CMake
# target links a library that does not exist, and its include directory would bring the host's headers into a cross build.
set(HEED_XSIMD_INCLUDE_DIR /usr/include CACHE PATH "Directory that contains xsimd/xsimd.hpp")
if(NOT EXISTS ${HEED_XSIMD_INCLUDE_DIR}/xsimd/xsimd.hpp)
  message(FATAL_ERROR "heed: xsimd/xsimd.hpp is not in ${HEED_XSIMD_INCLUDE_DIR} (Debian: libxsimd-dev)")
endif()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/xsimd-include)
file(CREATE_LINK ${HEED_XSIMD_INCLUDE_DIR}/xsimd ${PROJECT_BINARY_DIR}/xsimd-include/xsimd SYMBOLIC)
target_include_directories(heed SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/xsimd-include)
# gcc on Arm notes that vectors in structures were passed differently before gcc 10; nothing here crosses that border.
target_compile_options(heed PRIVATE -Wno-psabi)
