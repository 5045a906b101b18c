# SPDX-License-Identifier: MIT
#
# README.md and docs/: programs, commands, CMake lines, numbers, options, names and sentences.
set(docs ${PROJECT_SOURCE_DIR}/docs)
# The linker of a C program does not know what clang's sanitizer of C++ needs.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  heed_add_script_test(readme_programs LABELS structure
    COMMAND readme/check_programs.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:heed> ${compilers} ${flags})
endif()
heed_add_script_test(readme_names LABELS structure once COMMAND readme/check_names.sh ${PROJECT_SOURCE_DIR})
heed_add_script_test(readme_sentences LABELS structure once COMMAND readme/check_sentences.sh ${PROJECT_SOURCE_DIR})
heed_add_script_test(readme_limits LABELS structure once COMMAND readme/check_limits.sh ${PROJECT_SOURCE_DIR})
if(TARGET firmware_layer AND NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(quick_start LABELS structure once
    COMMAND readme/check_quick_start.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:firmware_layer>)
  if(HEED_PORT AND HEED_ARCHIVE_IS_PLAIN)
    # The plain port is compiled in a third of the time.
    heed_add_script_test(readme_cmake LABELS structure once
      COMMAND readme/check_cmake.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND} ${CMAKE_GENERATOR}
        scalar ${compilers})
  endif()
endif()
if(TARGET data_tests AND NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(readme_errors LABELS structure once
    COMMAND readme/check_errors.sh ${docs}/quantization.md $<TARGET_FILE:data_tests> quantization_error_test)
  heed_add_script_test(readme_weight_errors LABELS structure once
    COMMAND readme/check_errors.sh ${docs}/quantization.md $<TARGET_FILE:data_tests> weight_error_test weights)
endif()
if(TARGET heed_command)
  heed_add_script_test(readme_numbers LABELS structure once
    COMMAND readme/check_numbers.sh ${docs}/figures.md $<TARGET_FILE:heed_command>)
  heed_add_script_test(readme_options LABELS structure once
    COMMAND readme/check_options.sh ${docs}/command.md $<TARGET_FILE:heed_command>)
  heed_add_script_test(readme_pack LABELS structure once
    COMMAND readme/check_pack.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:heed_command> $<TARGET_FILE:heed>
      ${CMAKE_CXX_COMPILER} ${flags})
  heed_add_script_test(readme_generate LABELS structure once
    COMMAND readme/check_generate.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:heed_command>
      $<TARGET_FILE:bits_tests>)
endif()
# A target that is made later.
if(HEED_BUILD_BENCH AND NOT CMAKE_CROSSCOMPILING)
  heed_add_script_test(readme_speed LABELS structure once
    COMMAND readme/check_speed.sh ${docs}/speed.md $<TARGET_FILE:heed_speed>)
endif()
# What the tests of blocks have run, for the test that asks for every block. They run before it.
if(HEED_PORT AND HEED_ARCHIVE_IS_PLAIN AND TARGET heed_command AND TARGET firmware_layer AND HEED_BUILD_BENCH)
  set(ran_blocks ${PROJECT_BINARY_DIR}/tests/ran_blocks)
  file(MAKE_DIRECTORY ${ran_blocks}/left)
  heed_add_script_test(readme_models LABELS structure once
    COMMAND readme/check_models.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} $<TARGET_FILE:heed_command>
      ${HEED_MODELS})
  heed_add_script_test(readme_blocks LABELS structure once
    COMMAND readme/check_blocks.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${ran_blocks})
  set(block_tests readme_programs quick_start readme_cmake readme_pack readme_generate readme_models readme_speed
    packaging_page)
  set_tests_properties(${block_tests} PROPERTIES
    FIXTURES_SETUP ran_blocks ENVIRONMENT HEED_RAN_BLOCKS=${ran_blocks})
  set_tests_properties(readme_blocks PROPERTIES FIXTURES_REQUIRED ran_blocks)
  add_custom_target(page_programs)
  add_dependencies(page_programs heed_command heed_speed bits_tests data_tests)
  if(TARGET heed_python)
    add_dependencies(page_programs heed_python)
  endif()
endif()
