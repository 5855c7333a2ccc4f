/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Mark the regions of your program that Plumbline shall count and time:
 *
 *     #include <plumbline.h>
 *     PLUMBLINE_START("solver");
 *     ...
 *     PLUMBLINE_STOP("solver");
 *
 * In C++ a scope may be the region: plumbline::MarkedRegion region("solver");
 *
 * A mark counts the thread that executes it: in OpenMP code put the marks inside the parallel region. Regions may nest.
 * The marks need no library and no other header, and cost some twenty instructions when the program runs natively. They exist
 * for x86-64 Linux, where the counting tool runs; elsewhere they vanish, and PLUMBLINE_MARKS_COMPILED_IN is 0. */
#ifndef PLUMBLINE_H
#define PLUMBLINE_H

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__) && defined(__GNUC__)
#define PLUMBLINE_MARKS_COMPILED_IN 1
#else
#define PLUMBLINE_MARKS_COMPILED_IN 0
#endif

/* C of 1990 has no word for it, gcc's and clang's has. */
#if defined(__GNUC__)
#define PLUMBLINE_INLINE __inline__
#else
#define PLUMBLINE_INLINE inline
#endif

/* The same numbers as in harness/emulator/client_requests.h; a test holds one against the other. */
#define PLUMBLINE_MARKER_REGION_BEGIN 0x504C0005ul
#define PLUMBLINE_MARKER_REGION_END 0x504C0006ul

/* `plumbline profile` loads a library into the program that it times, which defines plumbline_marked(); in every other run there is none,
 * and its address is 0. That comes from the table of addresses that the loader fills, also in code for a fixed place, into which the linker
 * would write the 0. */
static PLUMBLINE_INLINE void plumbline_tell(unsigned long request, const char* name) {
#if PLUMBLINE_MARKS_COMPILED_IN
  void (*listener)(unsigned long, const char*);
  __asm__(".weak plumbline_marked\n\tmovq plumbline_marked@GOTPCREL(%%rip), %0" : "=r"(listener));
  if (__builtin_expect(listener != 0, 0)) listener(request, name);
#else
  (void)request, (void)name;
#endif
}

/* Valgrind's client request, the interface that <valgrind/valgrind.h> (BSD-style license, Julian Seward) defines: rotations of
 * rdi that add up to nothing, then an exchange of rbx with itself. A processor runs them as no-operations; Valgrind takes them
 * for a request whose six words rax points at, and leaves the answer in rdx. */
static PLUMBLINE_INLINE unsigned long plumbline_mark(unsigned long request, const char* name, unsigned long how) {
#if PLUMBLINE_MARKS_COMPILED_IN
  unsigned long words[6], answer = 0;
  if (request == PLUMBLINE_MARKER_REGION_BEGIN) plumbline_tell(request, name); /* outside of what is counted, as below */
  words[0] = request, words[1] = (unsigned long)name, words[2] = how;
  words[3] = words[4] = words[5] = 0;
  __asm__ volatile(
      "rolq $3, %%rdi ; rolq $13, %%rdi\n\t"
      "rolq $61, %%rdi ; rolq $51, %%rdi\n\t"
      "xchgq %%rbx, %%rbx"
      : "+d"(answer)
      : "a"(words)
      : "cc", "memory");
  if (request == PLUMBLINE_MARKER_REGION_END) plumbline_tell(request, name);
  return answer;
#else
  (void)request, (void)name, (void)how;
  return 0;
#endif
}

#define PLUMBLINE_START(name) ((void)plumbline_mark(PLUMBLINE_MARKER_REGION_BEGIN, (name), 0))
/* The same from emptied simulated caches, those of all threads: what the region reads comes from memory. */
#define PLUMBLINE_START_COLD(name) ((void)plumbline_mark(PLUMBLINE_MARKER_REGION_BEGIN, (name), 1))
#define PLUMBLINE_STOP(name) ((void)plumbline_mark(PLUMBLINE_MARKER_REGION_END, (name), 0))

#ifdef __cplusplus
namespace plumbline {

/* / A region that ends with its scope, by whatever way that is left. The name must outlive it, as a literal does. */
class MarkedRegion {
 public:
  explicit MarkedRegion(const char* name) : name_(name) { PLUMBLINE_START(name_); }
  ~MarkedRegion() { PLUMBLINE_STOP(name_); }

 private:
  MarkedRegion(const MarkedRegion&); /* not defined, for a region is not copied: C++ of 1998 has no "= delete" */
  MarkedRegion& operator=(const MarkedRegion&);
  const char* name_;
};

}  // namespace plumbline
#endif

#endif
