# SPDX-License-Identifier: MIT
#
# heed_<version>_<architecture>.deb, libheed-dev_<version>_<architecture>.deb, and with the Python module
# python3-heed_<version>_<architecture>.deb, which has the shared library within. What only a Debian package has is in
# components of its own, which `cmake --install` leaves out unless it is asked for them.
set(heed_makes_debian TRUE)
list(APPEND CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${PROJECT_HOMEPAGE_URL})
get_filename_component(heed_port_name ${HEED_PORT_DIR} NAME)

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME heed)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "attention in fixed memory: the desktop command
Packs trained weights for firmware, plans memory before flashing, and runs
attention, layers and whole transformers on files with the bits that the board
will have.

Built with the port ${heed_port_name}; the processor must have its instructions.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libheed-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "attention in fixed memory: static library and headers
Attention, multi-head layers, key-value caches, positional encodings and whole
transformers, in C++20 with a C interface: no heap, no exceptions, the same
bits on every CPU.

Built with the port ${heed_port_name}; the processor must have its instructions.")

set(heed_debian_packages heed libheed-dev)
if(TARGET heed_python)
  list(APPEND heed_debian_packages python3-heed)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-heed)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3:any, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_DESCRIPTION "attention in fixed memory: the Python module
Attention, multi-head layers, caches and whole transformers on numpy arrays,
without copies, with the bits that a board will have.

Built with the port ${heed_port_name}; importing it on a processor without its
instructions raises an error.")
  set(heed_python_place lib/python3/dist-packages/heed)
  list(TRANSFORM heed_python_files PREPEND ${heed_python_dir}/heed/ OUTPUT_VARIABLE files)
  install(FILES ${files} DESTINATION ${heed_python_place} COMPONENT debian_python EXCLUDE_FROM_ALL)
  install(TARGETS heed_c LIBRARY DESTINATION ${heed_python_place} COMPONENT debian_python NAMELINK_SKIP EXCLUDE_FROM_ALL)
endif()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/packaging/debian/changelog)
execute_process(COMMAND ${HEED_GZIP} -9nc ${PROJECT_SOURCE_DIR}/packaging/debian/changelog
  OUTPUT_FILE ${PROJECT_BINARY_DIR}/package/changelog.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(package ${heed_debian_packages})
  set(component debian_tools)
  if(package STREQUAL libheed-dev)
    set(component debian_development)
  elseif(package STREQUAL python3-heed)
    set(component debian_python)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/package/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
  install(FILES LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endforeach()
install(FILES packaging/debian/libheed-dev.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides
  RENAME libheed-dev COMPONENT debian_development EXCLUDE_FROM_ALL)
