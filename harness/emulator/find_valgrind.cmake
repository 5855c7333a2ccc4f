# SPDX-License-Identifier: BSD-3-Clause
#
# Looks for a Valgrind that a tool can be linked with. One that jobs/valgrind.sh has put into the build folder or the installation's prefix
# comes before the system's. Sets PLUMBLINE_VALGRIND_{EXECUTABLE,INCLUDE_DIR,COREGRIND,VEX,GCC_SUP,LIBEXEC_DIR}, PLUMBLINE_VALGRIND_OWN to
# the prefix where it is such a one, and PLUMBLINE_VALGRIND_PC_VERSION where pkg-config knows the system's.
set(parts EXECUTABLE INCLUDE_DIR COREGRIND VEX GCC_SUP LIBEXEC_DIR)

set(own "")
foreach(prefix ${CMAKE_INSTALL_PREFIX} ${PROJECT_BINARY_DIR}/valgrind)
  if(EXISTS ${prefix}/bin/valgrind AND EXISTS ${prefix}/lib/valgrind/libcoregrind-amd64-linux.a)
    set(own ${prefix})
  endif()
endforeach()
# What an earlier configuration found in another place is forgotten as a whole: of two installations nothing is linked.
if(DEFINED PLUMBLINE_VALGRIND_OWN AND NOT PLUMBLINE_VALGRIND_OWN STREQUAL own)
  foreach(part ${parts})
    unset(PLUMBLINE_VALGRIND_${part} CACHE)
  endforeach()
endif()
set(PLUMBLINE_VALGRIND_OWN "${own}" CACHE INTERNAL "Where jobs/valgrind.sh has put the Valgrind in use; empty: it is the system's")

if(own)
  set(PLUMBLINE_VALGRIND_PC_VERSION "")
  find_program(PLUMBLINE_VALGRIND_EXECUTABLE valgrind PATHS ${own}/bin NO_DEFAULT_PATH)
  find_path(PLUMBLINE_VALGRIND_INCLUDE_DIR pub_tool_tooliface.h PATHS ${own}/include/valgrind NO_DEFAULT_PATH)
  find_library(PLUMBLINE_VALGRIND_COREGRIND libcoregrind-amd64-linux.a PATHS ${own}/lib/valgrind NO_DEFAULT_PATH)
  find_library(PLUMBLINE_VALGRIND_VEX libvex-amd64-linux.a PATHS ${own}/lib/valgrind NO_DEFAULT_PATH)
  find_library(PLUMBLINE_VALGRIND_GCC_SUP libgcc-sup-amd64-linux.a PATHS ${own}/lib/valgrind NO_DEFAULT_PATH)
  find_path(PLUMBLINE_VALGRIND_LIBEXEC_DIR none-amd64-linux PATHS ${own}/libexec/valgrind NO_DEFAULT_PATH)
  return()
endif()

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PLUMBLINE_VALGRIND_PC QUIET valgrind)
endif()
find_program(PLUMBLINE_VALGRIND_EXECUTABLE valgrind)
find_path(PLUMBLINE_VALGRIND_INCLUDE_DIR pub_tool_tooliface.h
          HINTS ${PLUMBLINE_VALGRIND_PC_INCLUDE_DIRS} ${PLUMBLINE_VALGRIND_PC_INCLUDEDIR}/valgrind ${PLUMBLINE_VALGRIND_PC_INCLUDEDIR}
          PATH_SUFFIXES valgrind)
find_library(PLUMBLINE_VALGRIND_COREGRIND libcoregrind-amd64-linux.a HINTS ${PLUMBLINE_VALGRIND_PC_LIBDIR} PATH_SUFFIXES valgrind)
find_library(PLUMBLINE_VALGRIND_VEX libvex-amd64-linux.a HINTS ${PLUMBLINE_VALGRIND_PC_LIBDIR} PATH_SUFFIXES valgrind)
find_library(PLUMBLINE_VALGRIND_GCC_SUP libgcc-sup-amd64-linux.a HINTS ${PLUMBLINE_VALGRIND_PC_LIBDIR} PATH_SUFFIXES valgrind)
find_path(PLUMBLINE_VALGRIND_LIBEXEC_DIR none-amd64-linux
          HINTS ${PLUMBLINE_VALGRIND_PC_PREFIX}/libexec /usr/libexec /usr/local/libexec ${PLUMBLINE_VALGRIND_PC_LIBDIR} /usr/lib64 /usr/lib
          PATH_SUFFIXES valgrind)
