# SPDX-License-Identifier: MIT
set(common ${CMAKE_CURRENT_LIST_DIR}/..)
enable_language(ASM)
target_sources(heed_board PRIVATE ${common}/riscv32/startup.S ${common}/riscv32/board.cpp ${common}/memory.cpp)
target_compile_options(heed_board PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-tree-loop-distribute-patterns>)
target_link_options(heed_board INTERFACE
  -L${common} -T${CMAKE_CURRENT_LIST_DIR}/memory.ld -nostdlib LINKER:--gc-sections LINKER:--no-warn-rwx-segments)
target_link_libraries(heed_board INTERFACE gcc)
set_property(TARGET heed_board APPEND PROPERTY INTERFACE_LINK_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/memory.ld ${common}/sections.ld ${common}/models.ld)
