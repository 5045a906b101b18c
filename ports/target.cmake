# SPDX-License-Identifier: MIT
#
# What the target is, asked of the compiler: the name of a processor does not say how wide its programs are, nor which
# instructions they may use.
include(CheckCXXSourceCompiles)
include(CheckCXXSourceRuns)

# The names of the results hold what was asked, so that a build folder that changes its flags or its port asks again.
function(heed_name_result result flags text)
  string(MD5 key "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_TARGET} ${CMAKE_CXX_FLAGS} ${flags} ${text}")
  string(SUBSTRING ${key} 0 8 key)
  set(${result} HEED_TARGET_${key} PARENT_SCOPE)
endfunction()

# heed_target_has(<result> <flags> <condition>): whether a condition on the compiler's own macros, and on those of
# target_macros.hpp, holds with the flags.
function(heed_target_has result flags condition)
  set(macros ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/target_macros.hpp)
  file(MD5 ${macros} version)
  heed_name_result(name "${flags}" "${condition} ${version}")
  set(CMAKE_REQUIRED_FLAGS "${flags}")
  set(CMAKE_REQUIRED_QUIET ON)
  # A program might need a linker script.
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_cxx_source_compiles("#include \"${macros}\"\n#if !(${condition})\n#error ${condition}\n#endif\n" ${name})
  set(${result} ${${name}} PARENT_SCOPE)
endfunction()

# heed_machine_has(<result> <x86 feature>): whether the machine that builds has it, if it is the target.
function(heed_machine_has result feature)
  if(CMAKE_CROSSCOMPILING)
    set(${result} TRUE PARENT_SCOPE)
    return()
  endif()
  heed_name_result(name machine ${feature})
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"${feature}\") ? 0 : 1; }" ${name})
  set(${result} ${${name}} PARENT_SCOPE)
endfunction()

# heed_fitting_port(<result>): what fitting_port.hpp says of the target, from an object, since a program might need a
# linker script.
function(heed_fitting_port result)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(MD5 ${folder}/fitting_port.hpp version)
  file(MD5 ${folder}/target_macros.hpp macros)
  heed_name_result(name fitting_port "${version} ${macros}")
  if(NOT DEFINED ${name})
    set(build ${PROJECT_BINARY_DIR}/CMakeFiles/heed_fitting_port)
    file(WRITE ${build}/port.cpp
      "#include \"${folder}/fitting_port.hpp\"\n"
      "extern const char heed_port[];\n"
      "const char heed_port[] = \"heed port \" HEED_FITTING_PORT;\n")
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    try_compile(compiles ${build} SOURCES ${build}/port.cpp
      CMAKE_FLAGS "-DCOMPILE_DEFINITIONS:STRING=-fno-lto" OUTPUT_VARIABLE output COPY_FILE ${build}/port.a)
    if(NOT compiles)
      unset(compiles CACHE)
      message(FATAL_ERROR "heed: the compiler does not tell what its target is:\n${output}")
    endif()
    unset(compiles CACHE)
    file(STRINGS ${build}/port.a words REGEX "heed port [a-z0-9_]+")
    string(REGEX REPLACE ".*heed port ([a-z0-9_]+).*" "\\1" port "${words}")
    set(${name} ${port} CACHE INTERNAL "")
  endif()
  set(${result} ${${name}} PARENT_SCOPE)
endfunction()
