# SPDX-License-Identifier: MIT
#
# What an installed heed is: the archive and its headers, a CMake package and a pkg-config file, which find their files
# from where they lie; and the headers that heed::kernels compiles, in include/heed/kernels. All of it is the component
# `development`, beside `tools`, the command and its manual page.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
set(heed_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heed)

install(TARGETS heed EXPORT heed_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/heed TYPE INCLUDE)
install(EXPORT heed_targets NAMESPACE heed:: FILE heed-targets.cmake DESTINATION ${heed_package_dir})

# The C interface as a shared library, for find_package(heed COMPONENTS c) and heed_c.pc.
if(BUILD_SHARED_LIBS AND TARGET heed_c)
  install(TARGETS heed_c EXPORT heed_c_targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT heed_c_targets NAMESPACE heed:: FILE heed-c-targets.cmake DESTINATION ${heed_package_dir})
endif()

# A file of its own: who does not use the kernels does not need xsimd.
install(TARGETS heed_kernels EXPORT heed_kernels_targets)
install(EXPORT heed_kernels_targets NAMESPACE heed:: FILE heed-kernels-targets.cmake DESTINATION ${heed_package_dir})
install(DIRECTORY ${HEED_PORT_DIR}/ DESTINATION ${heed_kernels_dir}/port FILES_MATCHING PATTERN "*.hpp")
file(GLOB heed_lanes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/ports/*.hpp)
install(FILES ${heed_lanes} DESTINATION ${heed_kernels_dir}/ports)
foreach(folder ${heed_port_inherits})
  install(DIRECTORY ports/${folder} DESTINATION ${heed_kernels_dir}/ports FILES_MATCHING PATTERN "*.hpp")
endforeach()
# The rooms that options/attend_with_score_mod.hpp sees.
foreach(room common kernels math product format cache attention options)
  install(DIRECTORY runtime/${room} DESTINATION ${heed_kernels_dir}/runtime FILES_MATCHING PATTERN "*.hpp")
endforeach()

configure_package_config_file(packaging/heed-config.cmake.in ${PROJECT_BINARY_DIR}/package/heed-config.cmake
  INSTALL_DESTINATION ${heed_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/heed-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/heed-config.cmake ${PROJECT_BINARY_DIR}/package/heed-config-version.cmake
  ports/find_xsimd.cmake DESTINATION ${heed_package_dir})

# Paths under the prefix are written from heed.pc; those that are absolute stay so.
set(heed_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(IS_ABSOLUTE ${heed_pc_dir})
  set(heed_pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH heed_pc_prefix /prefix/${heed_pc_dir} /prefix)
  set(heed_pc_prefix "\${pcfiledir}/${heed_pc_prefix}")
endif()
foreach(name LIBDIR INCLUDEDIR)
  set(heed_pc_${name} "\${prefix}")
  cmake_path(APPEND heed_pc_${name} ${CMAKE_INSTALL_${name}})
endforeach()
set(heed_pc_names heed)
if(BUILD_SHARED_LIBS AND TARGET heed_c)
  list(APPEND heed_pc_names heed_c)
endif()
foreach(heed_pc_name ${heed_pc_names})
  configure_file(packaging/heed.pc.in ${PROJECT_BINARY_DIR}/package/${heed_pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${heed_pc_name}.pc DESTINATION ${heed_pc_dir})
endforeach()

# Compressed, as manual pages are, without a time in it.
find_program(HEED_GZIP gzip DOC "Compresses the manual page")
if(TARGET heed_command)
  set(manual ${PROJECT_SOURCE_DIR}/packaging/heed.1)
  if(HEED_GZIP)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${manual})
    execute_process(COMMAND ${HEED_GZIP} -9nc ${manual} OUTPUT_FILE ${PROJECT_BINARY_DIR}/package/heed.1.gz
      COMMAND_ERROR_IS_FATAL ANY)
    set(manual ${PROJECT_BINARY_DIR}/package/heed.1.gz)
  endif()
  install(FILES ${manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
endif()
