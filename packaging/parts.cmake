# SPDX-License-Identifier: MIT
#
# The parts of the project beside the library. Each has an option: ON, OFF, or AUTO, which leaves the part out and says
# so if the machine does not have what the part needs.

# heed_add_part(<option> <what> <default>)
function(heed_add_part option what default)
  set(${option} ${default} CACHE STRING "Build ${what}: ON, OFF, or AUTO: if what that needs is there")
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
endfunction()

# heed_leave_out(<what> <option> <missing>...): an error if the part was asked for by name.
function(heed_leave_out what option)
  list(JOIN ARGN ", " missing)
  if(NOT "${${option}}" STREQUAL AUTO)
    message(FATAL_ERROR "heed: ${what} cannot be built without ${missing} (Debian: toolchains/install.sh); "
      "-D${option}=OFF leaves it out")
  endif()
  set_property(GLOBAL APPEND PROPERTY heed_left_out "${what} (there is no ${missing})")
endfunction()

function(heed_tell_left_out)
  get_property(parts GLOBAL PROPERTY heed_left_out)
  if(parts)
    list(JOIN parts ", " parts)
    message(STATUS "heed: left out: ${parts}; toolchains/install.sh installs it on Debian")
  endif()
endfunction()
