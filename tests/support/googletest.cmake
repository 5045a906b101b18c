# SPDX-License-Identifier: MIT
#
# GTest::gtest_main and gtest_discover_tests(): an installed package, or Debian's sources.
include(GoogleTest)
# A cross build would find the host's.
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest CONFIG QUIET)
endif()
set(HEED_GOOGLETEST_DIR /usr/src/googletest CACHE PATH "googletest's sources, where its package is not installed")
if(NOT TARGET GTest::gtest_main AND EXISTS ${HEED_GOOGLETEST_DIR}/CMakeLists.txt)
  set(INSTALL_GTEST OFF)
  set(as_system "")
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.25)
    set(as_system SYSTEM)
  endif()
  add_subdirectory(${HEED_GOOGLETEST_DIR} ${CMAKE_CURRENT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL ${as_system})
endif()
