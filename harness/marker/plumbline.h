// SPDX-License-Identifier: BSD-3-Clause
//
// Mark the regions of your program that Plumbline shall count:
//
//     #include <plumbline.h>
//     PLUMBLINE_START("solver");
//     ...
//     PLUMBLINE_STOP("solver");
//
// The marks need no library and cost a few instructions when the program runs natively. Without Valgrind's headers at compile
// time they vanish; PLUMBLINE_MARKS_COMPILED_IN then is 0. For C and C++.
#ifndef PLUMBLINE_H
#define PLUMBLINE_H

#if defined(__has_include)
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif
#endif

#if defined(VALGRIND_DO_CLIENT_REQUEST_EXPR)
#define PLUMBLINE_MARKS_COMPILED_IN 1
// The same numbers as in harness/emulator/client_requests.h; a test holds one against the other.
#define PLUMBLINE_MARKER_REGION_BEGIN (VG_USERREQ_TOOL_BASE('P', 'L') + 5)
#define PLUMBLINE_MARKER_REGION_END (VG_USERREQ_TOOL_BASE('P', 'L') + 6)
#define PLUMBLINE_START(name) ((void)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_MARKER_REGION_BEGIN, (name), 0, 0, 0, 0))
#define PLUMBLINE_STOP(name) ((void)VALGRIND_DO_CLIENT_REQUEST_EXPR(0, PLUMBLINE_MARKER_REGION_END, (name), 0, 0, 0, 0))
#else
#define PLUMBLINE_MARKS_COMPILED_IN 0
#define PLUMBLINE_START(name) ((void)(name))
#define PLUMBLINE_STOP(name) ((void)(name))
#endif

#endif
