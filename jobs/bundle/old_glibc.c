// The functions here are those that g++ 12 and its static libstdc++ take from the C library, and that glibc before 2.36 does not have, or
// has under an older version alone.
#include <stddef.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

// Whether there is one thread alone, so that reference counts need not be atomic (glibc 2.32). Saying no is always right.
HIDDEN char __libc_single_threaded = 0;

// For std::random_device (glibc 2.36).
HIDDEN unsigned arc4random(void) {
  unsigned word = 0;
  while (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) {
  }
  return word;
}

// glibc 2.29 has new ones of these, which leave errors to errno. Those of before are still there and give the same numbers; who calls NAME
// is linked to __wrap_NAME (toolchain.cmake). No timed loop calls any of them.
#define AS_BEFORE_2_29(name, takes, given)                 \
  double old_##name takes;                                 \
  __asm__(".symver old_" #name ", " #name "@GLIBC_2.2.5"); \
  HIDDEN double __wrap_##name takes;                       \
  double __wrap_##name takes { return old_##name given; }
AS_BEFORE_2_29(exp, (double x), (x))
AS_BEFORE_2_29(exp2, (double x), (x))
AS_BEFORE_2_29(log, (double x), (x))
AS_BEFORE_2_29(log2, (double x), (x))
AS_BEFORE_2_29(pow, (double x, double y), (x, y))
