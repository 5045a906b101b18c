# SPDX-License-Identifier: MIT
set(CONFIG_IDF_TARGET_ARCH_RISCV y)
set(CONFIG_SOC_CPU_HAS_FPU ${FPU})
set(IDF_TARGET esp32p4)

macro(idf_component_register)
  cmake_parse_arguments(component "" "" "SRCS;INCLUDE_DIRS;PRIV_INCLUDE_DIRS" ${ARGN})
  set(COMPONENT_LIB heed)
  add_library(heed STATIC ${component_SRCS})
  target_include_directories(heed PUBLIC ${component_INCLUDE_DIRS} PRIVATE ${component_PRIV_INCLUDE_DIRS})
endmacro()
add_subdirectory(${PACKAGE} component)
