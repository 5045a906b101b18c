# SPDX-License-Identifier: MIT
#
# docs/models.md: what the images print on the boards for which the page shows it. Other flags have other figures.
if(NOT HEED_FIGURES_FOLDER)
  return()
endif()

# heed_compare_image(<preset> <image> <command>...): an emulator of that preset's board, unless given a command.
function(heed_compare_image only image)
  if(NOT preset STREQUAL only OR NOT TARGET ${image})
    return()
  endif()
  set(command ${ARGN})
  if(NOT command)
    set(command ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${image}>)
  endif()
  heed_add_script_test(readme_image_${image} LABELS structure
    COMMAND readme/check_image.sh ${PROJECT_SOURCE_DIR}/docs/models.md ${image} ${command})
endfunction()

heed_compare_image(cortex-m4f-gcc firmware_sums)
heed_compare_image(cortex-m33-gcc firmware_story)
string(REGEX REPLACE "nm([^/]*)$" "size\\1" size "${CMAKE_NM}")
heed_compare_image(cortex-m7-gcc firmware_keyword
  sh ${PROJECT_SOURCE_DIR}/examples/firmware/check_model.sh ${HEED_MODELS}/keyword.txt ${size} 768 160 6144
  $<TARGET_FILE:firmware_keyword> ${CMAKE_CROSSCOMPILING_EMULATOR})
