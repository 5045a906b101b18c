# SPDX-License-Identifier: MIT
#
# Images of whole models: of the project's own, and of what examples/models.sh has made in the folder HEED_MODELS, each
# where its files are.
set(HEED_MODELS "" CACHE PATH "Folder that examples/models.sh has filled; empty: no images of whole models")

# heed_add_model_image(<name> <source> <definition>...): PRINT_STAGES is 1 for an image that prints a line for every
# stage, for `heed compare`.
function(heed_add_model_image name source)
  heed_add_firmware(${name} ${source} ${model_stubs})
  target_include_directories(${name} PRIVATE ${model_folder})
  target_compile_definitions(${name} PRIVATE ${ARGN})
endfunction()

# heed_add_model_test(<name> <kibibytes of flash> <of RAM> <bytes of stack>): the image prints what it printed on the
# desktop, one in C (_c) what that in C++ did, and a microcontroller's is as small as that.
function(heed_add_model_test name flash ram stack)
  string(REGEX REPLACE "^firmware_|_c$" "" expected ${name})
  set(size none)
  if(HEED_PORT MATCHES "^(arm_m|riscv_[fi]$)")
    string(REGEX REPLACE "nm([^/]*)$" "size\\1" size "${CMAKE_NM}")
  endif()
  add_test(NAME ${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/check_model.sh ${model_folder}/${expected}.txt
    ${size} ${flash} ${ram} ${stack} $<TARGET_FILE:${name}> ${CMAKE_CROSSCOMPILING_EMULATOR})
  set_tests_properties(${name} PROPERTIES LABELS bits)
endfunction()

# heed_find_model(<result> <folder> <what> <stub>...): whether they are there, the stubs, and their folder.
function(heed_find_model result folder what)
  set(${result} FALSE PARENT_SCOPE)
  set(stubs "")
  foreach(stub ${ARGN})
    if(NOT folder OR NOT EXISTS ${folder}/${stub}.S)
      message(STATUS "heed: without ${what}: HEED_MODELS has no ${stub}.S (sh examples/models.sh)")
      return()
    endif()
    file(GLOB included ${folder}/${stub}.heed ${folder}/${stub}.bin)
    set_source_files_properties(${folder}/${stub}.S PROPERTIES OBJECT_DEPENDS "${included}")
    list(APPEND stubs ${folder}/${stub}.S)
  endforeach()
  set(model_stubs ${stubs} PARENT_SCOPE)
  set(model_folder ${folder} PARENT_SCOPE)
  set(${result} TRUE PARENT_SCOPE)
endfunction()

enable_language(ASM)
# What names the processor: a linker refuses objects for another one, even where they hold data alone.
set(CMAKE_ASM_FLAGS "${CMAKE_C_FLAGS}")
if(CMAKE_C_COMPILER_TARGET)
  string(APPEND CMAKE_ASM_FLAGS " --target=${CMAKE_C_COMPILER_TARGET}")
endif()
heed_find_model(has_sums ${PROJECT_SOURCE_DIR}/examples/sums "the image firmware_sums" sums_model sums_tokenizer)
heed_add_model_image(firmware_sums sums.cpp PRINT_STAGES=0)
# The kernels of Helium are longer than those of one lane, those of RISC-V without a load-multiple, and floats without
# an FPU.
set(sums_flash 88)
if(HEED_PORT MATCHES "^(arm_mve|riscv_[fi]|arm_m[03])$")
  set(sums_flash 108)
endif()
heed_add_model_test(firmware_sums ${sums_flash} 32 6144)
add_custom_target(run_firmware_sums COMMAND firmware_sums VERBATIM)
heed_find_model(has_keyword "${HEED_MODELS}" "the image firmware_keyword" keyword_model)
if(has_keyword)
  heed_add_model_image(firmware_keyword keyword.cpp PRINT_STAGES=0)
  heed_add_model_image(firmware_keyword_stages keyword.cpp PRINT_STAGES=1)
  heed_add_model_test(firmware_keyword 768 160 6144)
  heed_add_model_test(firmware_keyword_stages 768 160 6144)
endif()
heed_find_model(has_two "${HEED_MODELS}" "the image firmware_two_models" sort_model tale_model)
if(has_two)
  heed_add_model_image(firmware_two_models two_models.cpp PRINT_STAGES=0)
  heed_add_model_image(firmware_two_models_stages two_models.cpp PRINT_STAGES=1)
  heed_add_model_test(firmware_two_models 1024 96 6144)
  heed_add_model_test(firmware_two_models_stages 1024 96 6144)
endif()
heed_find_model(has_story "${HEED_MODELS}" "the image firmware_story" story_model story_tokenizer)
if(has_story)
  # The whole story takes an emulator a while, so that the test has its beginning, and one image its first token.
  heed_add_model_image(firmware_story story.cpp STORY_TOKENS=256 PRINT_STAGES=0)
  heed_add_model_image(firmware_story_begin story.cpp STORY_TOKENS=32 PRINT_STAGES=0)
  heed_add_model_image(firmware_story_begin_c story.c STORY_TOKENS=32)
  heed_add_model_image(firmware_story_first story.cpp STORY_TOKENS=1 PRINT_STAGES=0)
  heed_add_model_image(firmware_story_stages story.cpp STORY_TOKENS=16 PRINT_STAGES=1)
  heed_add_model_test(firmware_story_begin 420 200 6144)
  # Its plan is made when it starts.
  heed_add_model_test(firmware_story_begin_c 440 200 6144)
  heed_add_model_test(firmware_story_stages 420 200 6144)
  add_custom_target(run_firmware_story COMMAND firmware_story VERBATIM)
endif()
