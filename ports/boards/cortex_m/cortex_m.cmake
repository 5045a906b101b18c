# SPDX-License-Identifier: MIT
#
# heed_cortex_m_board(<folder> <count>): start-up code and linker script of a Cortex-M board whose folder has a
# memory.ld. <count> is what 256 ticks of its SysTick are counted as: 256 on hardware; 4 * nanoseconds per tick under QEMU.
set(HEED_CORTEX_M_DIR ${CMAKE_CURRENT_LIST_DIR})

function(heed_cortex_m_board folder count)
  foreach(source startup counter semihosting ../memory)
    target_sources(heed_board PRIVATE ${HEED_CORTEX_M_DIR}/${source}.cpp)
  endforeach()
  # A loop that copies must not become a call of memcpy inside of memcpy, or before .data is there.
  target_compile_options(heed_board PRIVATE -fno-tree-loop-distribute-patterns)
  target_compile_definitions(heed_board PRIVATE BOARD_COUNTS_PER_256_TICKS=${count})
  target_link_options(heed_board INTERFACE
    -L${HEED_CORTEX_M_DIR}/.. -T${folder}/memory.ld -nostdlib LINKER:--gc-sections)
  target_link_libraries(heed_board INTERFACE gcc)
  set_property(TARGET heed_board APPEND PROPERTY INTERFACE_LINK_DEPENDS
    ${folder}/memory.ld ${HEED_CORTEX_M_DIR}/../sections.ld ${HEED_CORTEX_M_DIR}/../models.ld)
endfunction()
