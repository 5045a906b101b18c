# SPDX-License-Identifier: MIT
#
# PORT is the choice that Kconfig makes.
string(TOUPPER ${PORT} port)
set(CONFIG_HEED y)
set(CONFIG_HEED_PORT_${port} y)

macro(zephyr_library_named name)
  add_library(${name} STATIC)
  set(ZEPHYR_CURRENT_LIBRARY ${name})
endmacro()
function(zephyr_library_sources)
  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_include_directories)
  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_options)
  target_compile_options(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
function(zephyr_library_compile_definitions)
  target_compile_definitions(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})
endfunction()
# For every file of the program.
function(zephyr_include_directories)
  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PUBLIC ${ARGN})
endfunction()

# As Zephyr finds a module and what is in it.
file(STRINGS ${PACKAGE}/zephyr/module.yml folder REGEX "^  cmake: ")
string(REPLACE "  cmake: " "" folder "${folder}")
file(STRINGS ${PACKAGE}/zephyr/module.yml files REGEX "^  (kconfig: |- )")
foreach(file IN LISTS files)
  string(REGEX REPLACE "^  (kconfig: |- )" "" file "${file}")
  if(NOT EXISTS ${PACKAGE}/${file})
    message(FATAL_ERROR "module.yml names ${file}, which is not there")
  endif()
endforeach()
add_subdirectory(${PACKAGE}/${folder} module)
