# SPDX-License-Identifier: BSD-3-Clause
#
# Links every file of the distribution's Valgrind folder FROM into TO, so that TO can serve as VALGRIND_LIB.
file(MAKE_DIRECTORY "${TO}")
file(GLOB entries RELATIVE "${FROM}" "${FROM}/*")
foreach(entry IN LISTS entries)
  file(CREATE_LINK "${FROM}/${entry}" "${TO}/${entry}" SYMBOLIC)
endforeach()
