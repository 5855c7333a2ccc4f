# SPDX-License-Identifier: BSD-3-Clause
#
# Links every file of Valgrind's folder FROM into TO, so that TO can serve as VALGRIND_LIB. LAUNCHER, where it is not empty, is the program
# `valgrind` of a Valgrind of our own: it is linked there, too, and with COPY all of it is copied, so that TO outlives FROM.
file(MAKE_DIRECTORY "${TO}")
file(GLOB entries RELATIVE "${FROM}" "${FROM}/*")
file(GLOB present LIST_DIRECTORIES false "${TO}/*")
foreach(entry IN LISTS present)  # links to another Valgrind
  if(IS_SYMLINK "${entry}")
    file(REMOVE "${entry}")
  endif()
endforeach()
if(COPY AND LAUNCHER)
  file(COPY "${FROM}/" DESTINATION "${TO}")
  file(COPY "${LAUNCHER}" DESTINATION "${TO}")
  return()
endif()
foreach(entry IN LISTS entries)
  file(CREATE_LINK "${FROM}/${entry}" "${TO}/${entry}" SYMBOLIC)
endforeach()
if(LAUNCHER)
  file(CREATE_LINK "${LAUNCHER}" "${TO}/valgrind" SYMBOLIC)
else()
  file(REMOVE "${TO}/valgrind")
endif()
