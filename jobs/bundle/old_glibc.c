// What the static libstdc++ of g++ 12 takes from the C library and glibc before 2.36 does not have.
#include <stddef.h>
#include <sys/random.h>

// Whether there is one thread alone, so that reference counts need not be atomic (glibc 2.32). Saying no is always right.
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;

// For std::random_device (glibc 2.36).
__attribute__((visibility("hidden"))) unsigned arc4random(void) {
  unsigned word = 0;
  while (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) {
  }
  return word;
}
