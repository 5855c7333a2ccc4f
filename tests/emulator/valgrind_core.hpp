// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tool's cache code takes these functions from Valgrind's core; here they are native, for programs that compile that code as it is.
#pragma once
#include <cstdlib>
#include <cstring>

extern "C" {
#include "pub_tool_basics.h"
void* VG_(malloc)(const HChar*, SizeT bytes) { return std::malloc(bytes); }
void* VG_(calloc)(const HChar*, SizeT n, SizeT bytes) { return std::calloc(n, bytes); }
void* VG_(realloc)(const HChar*, void* p, SizeT bytes) { return std::realloc(p, bytes); }
void VG_(free)(void* p) { std::free(p); }
void* VG_(memcpy)(void* to, const void* from, SizeT bytes) { return std::memcpy(to, from, bytes); }
void* VG_(memset)(void* p, Int value, SizeT bytes) { return std::memset(p, value, bytes); }
}
