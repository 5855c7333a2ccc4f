// SPDX-License-Identifier: BSD-3-Clause
// Four functions of a library, of which the exported one alone keeps its name when it is stripped; with PROGRAM, who calls them.
double visible_to_all_who_link_this_and_long_(double x);

#ifdef PROGRAM
int main(void) { return visible_to_all_who_link_this_and_long_(0.5) < 0; }
#else
#define ADDING(name, n)                                                     \
  static __attribute__((noinline)) double name(double x) {                  \
    for (int i = 0; i < n; i++) __asm__ volatile("addsd %0, %0" : "+x"(x)); \
    return x;                                                               \
  }
static double first(double x), second(double x);
ADDING(before, 10)
double visible_to_all_who_link_this_and_long_(double x) {
  for (int i = 0; i < 100; i++) __asm__ volatile("addsd %0, %0" : "+x"(x));
  x = before(x);
  x = first(x);
  return second(x);
}
ADDING(first, 1000)
ADDING(second, 10000)
#endif
