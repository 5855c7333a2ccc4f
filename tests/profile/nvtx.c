/* Additions in regions that NVTX marks: 3,000,000 in "solve", of which 1,000,000 are in "inner", and 500,000 outside of both. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

static double __attribute__((noinline)) add(double x, int times) {
  for (int i = 0; i < times; ++i) {
    x += 1e-9;
    __asm__ volatile("" : "+x"(x));
  }
  return x;
}

int main(void) {
  double x = add(0, 500000);
  nvtxRangePushA("solve");
  x = add(x, 2000000);
  nvtxRangePushA("inner");
  x = add(x, 1000000);
  nvtxRangePop();
  nvtxRangePop();
  nvtxRangeId_t anybodys = nvtxRangeStartA("anybody's");
  nvtxRangeEnd(anybodys);
  printf("%g\n", x);
  return 0;
}
