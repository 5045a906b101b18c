# SPDX-License-Identifier: MIT
#
# How the benchmarks treat noise. Their targets are made later.
if(HEED_BUILD_BENCH AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME quiet_rounds COMMAND $<TARGET_FILE:heed_quiet_test>)
  set_tests_properties(quiet_rounds PROPERTIES LABELS "structure;once")
  find_package(nlohmann_json QUIET)
  if(nlohmann_json_FOUND)
    heed_add_script_test(noisy_goals LABELS structure once COMMAND bench/check_noise.sh $<TARGET_FILE:heed_goals>)
  endif()
endif()
