# SPDX-License-Identifier: MIT
#
# heed_board: what an image needs beside the library. Chosen by HEED_BOARD, a folder here, or HEED_BOARD_DIR, any folder.
set(HEED_BOARD host CACHE STRING "Board: the name of a folder in ports/boards/; a toolchain file sets it")
set(HEED_BOARD_DIR "" CACHE PATH "Board outside the tree: a folder with board.cmake")

set(board_folder ${HEED_BOARD_DIR})
if(NOT board_folder)
  set(board_folder ${CMAKE_CURRENT_LIST_DIR}/${HEED_BOARD})
endif()
if(CMAKE_SYSTEM_NAME STREQUAL Generic AND board_folder STREQUAL ${CMAKE_CURRENT_LIST_DIR}/host)
  message(FATAL_ERROR "heed: tests and examples on bare metal need a board: set HEED_BOARD or HEED_BOARD_DIR")
endif()
if(NOT EXISTS ${board_folder}/board.cmake)
  message(FATAL_ERROR "heed: there is no board in ${board_folder}")
endif()

# Objects, not an archive: nothing refers to a vector table.
add_library(heed_board OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/print.cpp)
target_compile_features(heed_board PUBLIC cxx_std_20)
target_include_directories(heed_board PUBLIC ${CMAKE_CURRENT_LIST_DIR})
target_compile_options(heed_board PRIVATE -Wall -Wextra -Wconversion -Wshadow)
if(NOT HEED_BOARD STREQUAL host)
  target_compile_options(heed_board PUBLIC -ffreestanding -ffunction-sections -fdata-sections
    $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions;-fno-rtti;-fno-threadsafe-statics>)
endif()

# heed_bare_metal_board(<folder> <processor>): for the board.cmake in <folder>, beside its memory.ld: start-up code and
# counter of the folder <processor>, console and exit through semihosting, and the C library's functions of memory.
function(heed_bare_metal_board folder processor)
  set(boards ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  file(GLOB sources CONFIGURE_DEPENDS ${boards}/${processor}/*.cpp ${boards}/${processor}/*.S)
  target_sources(heed_board PRIVATE ${sources} ${boards}/semihosting.cpp ${boards}/stack.cpp ${boards}/memory.cpp)
  target_include_directories(heed_board PRIVATE ${boards}/${processor})
  # A loop that copies must not become a call of memcpy inside of memcpy, or before .data is there.
  target_compile_options(heed_board PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-tree-loop-distribute-patterns>)
  target_link_options(heed_board INTERFACE -L${boards} -T${folder}/memory.ld -nostdlib LINKER:--gc-sections)
  target_link_libraries(heed_board INTERFACE gcc)
  set_property(TARGET heed_board APPEND PROPERTY INTERFACE_LINK_DEPENDS
    ${folder}/memory.ld ${boards}/sections.ld ${boards}/models.ld)
endfunction()
include(${board_folder}/board.cmake)

# heed_add_firmware(<name> <source>...): a program for the board: an image, or an executable of the host.
function(heed_add_firmware name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE heed::heed heed_board)
  target_compile_options(${name} PRIVATE -Wall -Wextra -ffp-contract=off)
endfunction()
