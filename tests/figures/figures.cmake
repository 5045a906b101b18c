# SPDX-License-Identifier: MIT
#
# The figures of the target that this build is for, if there are committed ones: those of this build's own library if
# its flags are the preset's, as an image at a fixed place has it; of another one otherwise.
get_filename_component(preset "${CMAKE_TOOLCHAIN_FILE}" NAME_WE)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/expected.tsv committed LIMIT_COUNT 1)
if(committed MATCHES "\t${preset}(\t|$)")
  set(built "")
  string(STRIP "${CMAKE_CXX_FLAGS}" flags)
  string(STRIP "${CMAKE_CXX_FLAGS_INIT}" preset_flags)
  if(CMAKE_CROSSCOMPILING AND flags STREQUAL preset_flags AND "${CMAKE_BUILD_TYPE}" STREQUAL Release
     AND "${CMAKE_CXX_FLAGS_RELEASE}" STREQUAL "-O3 -DNDEBUG")
    set(HEED_FIGURES_FOLDER ${PROJECT_BINARY_DIR}/figures/${preset})
    target_compile_options(heed PRIVATE -fno-pie)
    include(${CMAKE_CURRENT_LIST_DIR}/probes.cmake)
    set(built --built)
  endif()
  heed_add_script_test(figures_${preset} LABELS figures
    COMMAND figures/run.sh ${built} --folder ${PROJECT_BINARY_DIR}/figures ${preset})
  set_tests_properties(figures_${preset} PROPERTIES PROCESSORS 2 TIMEOUT 600)
  # The table of `heed plan --core`.
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/model_costs.tsv counted LIMIT_COUNT 1)
  if(built AND counted MATCHES "\t${preset}(\t|$)")
    heed_add_script_test(model_costs_${preset} LABELS costs
      COMMAND figures/run.sh --costs --built --folder ${PROJECT_BINARY_DIR}/figures ${preset})
    set_tests_properties(model_costs_${preset} PROPERTIES TIMEOUT 3600)
  endif()
endif()
if(NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(figures_refuse LABELS structure once COMMAND figures/check_figures.sh)
endif()
