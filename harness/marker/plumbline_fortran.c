// SPDX-License-Identifier: BSD-3-Clause
//
// plumbline.f90 calls these functions: Fortran has no way of its own to write down the instructions of a mark. Compile it beside your
// program.
#include <string.h>

#include "plumbline.h"

// Regions of longer names are told apart by so many characters.
enum { name_characters = 255 };

// Fortran's strings end by their length, and trailing blanks say nothing.
static void mark(unsigned long request, const char* text, int length, unsigned long how) {
  char name[name_characters + 1];
  while (length > 0 && text[length - 1] == ' ') length--;
  if (length > name_characters) length = name_characters;
  memcpy(name, text, (size_t)length);
  name[length] = '\0';
  (void)plumbline_mark(request, name, how);
}

void plumbline_fortran_start(const char* name, int length, int cold) { mark(PLUMBLINE_MARKER_REGION_BEGIN, name, length, cold ? 1 : 0); }

void plumbline_fortran_stop(const char* name, int length) { mark(PLUMBLINE_MARKER_REGION_END, name, length, 0); }
