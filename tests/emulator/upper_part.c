// SPDX-License-Identifier: BSD-3-Clause
//
// Prints what is in the upper halves of two registers after scalar fused multiply-adds, which keep it: "7 5".
#include <stdio.h>

int main(void) {
  double wide[2] = {2, 7}, factor[2] = {3, 0};
  float narrow[4] = {2, 5, 6, 8}, factors[4] = {3, 0, 0, 0};
  __asm__ volatile(
      "vmovupd (%0), %%xmm0; vmovupd (%1), %%xmm1; vfmadd213sd %%xmm1, %%xmm1, %%xmm0; vmovupd %%xmm0, (%0)\n\t"
      "vmovups (%2), %%xmm2; vmovups (%3), %%xmm3; vfnmsub231ss %%xmm3, %%xmm3, %%xmm2; vmovups %%xmm2, (%2)"
      :
      : "r"(wide), "r"(factor), "r"(narrow), "r"(factors)
      : "xmm0", "xmm1", "xmm2", "xmm3", "memory");
  printf("%g %g\n", wide[1], (double)narrow[1]);
  return 0;
}
