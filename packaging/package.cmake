# SPDX-License-Identifier: MIT
#
# Packages of what is installed, by `cpack`: a .tar.gz of everything for any target, named after its toolchain file, and
# for a desktop that has dpkg two .deb files, the command and the library with its headers. `cpack` packs what is built:
# the targets heed and heed_command.
set(CPACK_PACKAGE_NAME heed)
set(CPACK_PACKAGE_VENDOR "The heed authors")
set(CPACK_PACKAGE_CONTACT "The heed authors <maintainers@heed.example>")
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_STRIP_FILES ON)
set(CPACK_GENERATOR TGZ)
get_filename_component(heed_package_target "${CMAKE_TOOLCHAIN_FILE}" NAME_WE)
if(NOT heed_package_target)
  string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" heed_package_target)
endif()
set(CPACK_PACKAGE_FILE_NAME heed-${PROJECT_VERSION}-${heed_package_target})

find_program(HEED_DPKG_DEB dpkg-deb DOC "Makes .deb files")
if(TARGET heed_command AND HEED_DPKG_DEB AND HEED_GZIP)
  include(packaging/debian.cmake)
endif()
include(CPack)
if(heed_makes_debian)
  cpack_add_component_group(command)
  cpack_add_component_group(library)
  cpack_add_component(tools GROUP command)
  cpack_add_component(debian_tools GROUP command)
  cpack_add_component(development GROUP library)
  cpack_add_component(debian_development GROUP library)
endif()
