# SPDX-License-Identifier: MIT
#
# heed_find_xsimd(<directory>): finds xsimd's headers, and makes a directory that holds nothing else: the distribution's
# CMake target links a library that does not exist, and its include directory would bring the host's headers into a cross
# build. HEED_XSIMD_INCLUDE_DIR is false if there is none.
function(heed_find_xsimd directory)
  find_path(HEED_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH
    DOC "Directory that contains xsimd/xsimd.hpp")
  if(EXISTS "${HEED_XSIMD_INCLUDE_DIR}/xsimd/xsimd.hpp")
    file(MAKE_DIRECTORY ${directory})
    file(CREATE_LINK ${HEED_XSIMD_INCLUDE_DIR}/xsimd ${directory}/xsimd SYMBOLIC)
  endif()
endfunction()
