# SPDX-License-Identifier: MIT
#
# The figures of the target that this build is for, if there are committed ones: measured in builds of their own, so
# that the options of this one do not matter.
get_filename_component(preset "${CMAKE_TOOLCHAIN_FILE}" NAME_WE)
if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/expected/${preset}.txt)
  heed_add_script_test(figures_${preset} LABELS figures
    COMMAND figures/run.sh --folder ${PROJECT_BINARY_DIR}/figures ${preset})
  set_tests_properties(figures_${preset} PROPERTIES PROCESSORS 2 TIMEOUT 600)
endif()
if(NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(figures_refuse LABELS structure once COMMAND figures/check_figures.sh)
endif()
