/* Two-dimensional transforms by FFTW's scalar code, whose work FFTW itself tells exactly (of vectors it tells operations, not numbers): it
   prints the sum, a fused one being two. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int n = atoi(argv[1]), times = atoi(argv[2]);
  fftw_complex* const field = fftw_malloc(sizeof *field * (size_t)n * (size_t)n);
  const fftw_plan plan = fftw_plan_dft_2d(n, n, field, field, FFTW_FORWARD, FFTW_ESTIMATE | FFTW_NO_SIMD);
  for (int i = 0; i < n * n; ++i) field[i][0] = i % 7 * 0.125, field[i][1] = i % 5 * 0.125;
  double add = 0, mul = 0, fma = 0;
  fftw_flops(plan, &add, &mul, &fma);
  for (int k = 0; k < times; ++k) fftw_execute(plan);
  printf("%.0f\n", times * (add + mul + 2 * fma));
  fftw_destroy_plan(plan);
  fftw_free(field);
  return 0;
}
