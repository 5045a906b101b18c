# SPDX-License-Identifier: MIT
#
# heed_c, libheed_c.so.<major>.<minor>: the C interface as a shared library, beside the archive, which the C++ interface
# needs in any case. It has another name, because a linker that finds libheed.so and libheed.a takes the first, and a
# C++ program would miss what is hidden there. Versions of the same major and minor number fit each other, as the
# soname says. Its port is that of the build: the code of all of it is compiled for one set of instructions.
#
# heed_add_shared_library(<result>): whether this target has one.
function(heed_add_shared_library result)
  set(${result} FALSE PARENT_SCOPE)
  get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
  set(exports ${PROJECT_SOURCE_DIR}/packaging/shared/exports.map)
  if(has_shared)
    include(CheckCSourceCompiles)
    # What was asked is in the name of the result, as in ports/target.cmake.
    set(CMAKE_REQUIRED_LINK_OPTIONS "LINKER:--version-script=${exports}")
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("int main(void) { return 0; }" HEED_HAS_VERSION_SCRIPTS)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
  endif()
  if(NOT has_shared OR NOT HEED_HAS_VERSION_SCRIPTS)
    message(STATUS "heed: no shared library, whatever BUILD_SHARED_LIBS says: the target has none, or its linker takes "
      "no version script")
    return()
  endif()

  get_target_property(sources heed SOURCES)
  add_library(heed_c SHARED ${sources} ${PROJECT_SOURCE_DIR}/packaging/shared/explain.cpp)
  add_library(heed::c ALIAS heed_c)
  # A program links all of it, so that it need not be compiled file by file.
  set_target_properties(heed_c PROPERTIES EXPORT_NAME c CXX_EXTENSIONS OFF UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 25
    # The compiler of C links it: nothing of C++'s run time is in it, which CMake may list all the same.
    LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${exports})
  target_compile_features(heed_c PRIVATE cxx_std_20)
  target_include_directories(
    heed_c PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(heed_c PRIVATE ${heed_internal_folders})
  if(heed_port_needs_xsimd)
    target_include_directories(heed_c SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/xsimd-include)
  endif()
  foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS)
    get_target_property(values heed ${property})
    set_target_properties(heed_c PROPERTIES ${property} "${values}")
  endforeach()
  # The library calls its own functions, as the archive does, whatever a program defines.
  target_compile_options(heed_c PRIVATE -fno-semantic-interposition)
  target_link_options(heed_c PRIVATE LINKER:--version-script=${exports} LINKER:--as-needed LINKER:-z,defs
    LINKER:--gc-sections)
  set(${result} TRUE PARENT_SCOPE)
endfunction()
