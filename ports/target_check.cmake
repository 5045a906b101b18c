# SPDX-License-Identifier: MIT
#
# A target on which the library would compute other bits, or call a C library's function, is refused here by name. The
# headers refuse the same where there is no CMake (ports/single_operations.hpp).

# heed_fuses(<result> <flags>): whether __builtin_fmaf is an instruction: an object that has one needs no function.
function(heed_fuses result flags)
  heed_name_result(name "${flags}" "heed_fuses")
  if(NOT DEFINED ${name})
    set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/heed_fuses)
    file(WRITE ${folder}/fused.cpp
      "float fused(float a, float b, float c);\n"
      "float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }\n")
    # Only optimised code has the instruction, and only machine code a list of names.
    set(CMAKE_TRY_COMPILE_CONFIGURATION Release)
    set(CMAKE_CXX_FLAGS_RELEASE "-O2 -fno-math-errno -fno-lto")
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    try_compile(compiles ${folder} SOURCES ${folder}/fused.cpp
      CMAKE_FLAGS "-DCOMPILE_DEFINITIONS:STRING=${flags}" COPY_FILE ${folder}/fused.a)
    set(called TRUE)
    if(compiles)
      file(STRINGS ${folder}/fused.a called REGEX "^_?fmaf$")
    endif()
    unset(compiles CACHE)
    if(called)
      set(${name} FALSE CACHE INTERNAL "")
    else()
      set(${name} TRUE CACHE INTERNAL "")
    endif()
  endif()
  set(${result} ${${name}} PARENT_SCOPE)
endfunction()

# The target `heed` with the port in HEED_PORT_DIR.
function(heed_check_target)
  get_target_property(options heed COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^-m")
  list(JOIN options " " flags)
  set(compiler "${CMAKE_CXX_COMPILER} with '${CMAKE_CXX_FLAGS} ${flags}'")

  heed_target_has(excess "${flags}" "defined(HEED_EXCESS_PRECISION)")
  if(excess)
    message(FATAL_ERROR "heed: ${compiler} computes floats with excess precision, which changes the bits of results: "
      "add -msse2 -mfpmath=sse to CMAKE_CXX_FLAGS")
  endif()
  heed_target_has(soft "${flags}" "defined(HEED_SOFT_FLOATS)")
  if(NOT soft)
    heed_fuses(fused "${flags}")
  endif()
  if(NOT soft AND NOT fused)
    message(FATAL_ERROR
      "heed: ${compiler} targets a CPU without a fused multiply-add. heed needs one beside floats in hardware (x86: "
      "-mfma, ARMv7: -mfpu=neon-vfpv4), or Arm or RISC-V without such floats (-mfloat-abi=soft, -mabi=ilp32).")
  endif()
  heed_target_has(big "${flags}" "defined(HEED_BIG_ENDIAN)")
  file(STRINGS ${HEED_PORT_DIR}/port.hpp any_order REGEX "^#define HEED_PORT_ANY_BYTE_ORDER")
  if(big AND NOT any_order)
    message(FATAL_ERROR "heed: ${compiler} targets a big-endian CPU, where the port in ${HEED_PORT_DIR} computes "
      "something else in integers and few bits, or was never seen to be right: pass -DHEED_PORT=scalar")
  endif()
  # A compiler without a macro that says so.
  heed_target_has(known "${flags}" "defined(HEED_FUSED_MULTIPLY_ADD) || defined(HEED_SOFT_FLOATS)")
  if(NOT known)
    target_compile_options(heed PRIVATE -DHEED_FUSED_MULTIPLY_ADD)
  endif()
endfunction()
