# SPDX-License-Identifier: MIT
#
# Packages: what cpack makes of a build, and what the managers of firmware get; the golden hashes of releases.
if(NOT HEED_ARCHIVE_IS_PLAIN)
  return()
endif()
set(boards "")
if(CMAKE_SYSTEM_NAME STREQUAL Generic)
  set(boards ${PROJECT_SOURCE_DIR}/ports/boards/boards.cmake)
endif()
heed_add_script_test(package_archive LABELS structure package
  COMMAND package/check_archive_package.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND}
    ${CMAKE_CPACK_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${boards})
if(CMAKE_CROSSCOMPILING)
  return()
endif()

if(TARGET heed_command)
  heed_add_script_test(package_debian LABELS structure package once
    COMMAND package/check_debian.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_COMMAND}
      ${CMAKE_CPACK_COMMAND} ${CMAKE_GENERATOR} ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
  heed_add_script_test(manual LABELS structure package once
    COMMAND package/check_manual.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:heed_command>)
  heed_add_script_test(packaging_page LABELS structure package once
    COMMAND package/check_page.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()
heed_add_script_test(reference LABELS structure package once
  COMMAND package/check_reference.sh ${PROJECT_SOURCE_DIR})
if(NOT CMAKE_UNITY_BUILD)
  heed_add_script_test(manifests LABELS structure package once
    COMMAND package/check_manifests.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
endif()
heed_add_script_test(releases LABELS structure once COMMAND package/check_releases.sh ${PROJECT_SOURCE_DIR})
set(manner together)
if(HEED_THOROUGH_TESTS)
  set(manner apart)
endif()
heed_add_script_test(firmware_packages LABELS structure package once
  COMMAND package/check_firmware.sh ${manner} ${PROJECT_SOURCE_DIR} ${CMAKE_COMMAND})
set_tests_properties(firmware_packages PROPERTIES COST 60)
