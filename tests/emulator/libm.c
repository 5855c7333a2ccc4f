// SPDX-License-Identifier: BSD-3-Clause
//
// Calls the mathematical library in its three precisions, for the self-check.
#include <math.h>
#include <stdio.h>

typedef double (*Function)(double);
typedef float (*FunctionF)(float);
typedef long double (*FunctionL)(long double);

#define ALL(x)                                                                                                                          \
  x(sin) x(cos) x(tan) x(asin) x(acos) x(atan) x(sinh) x(cosh) x(tanh) x(exp) x(exp2) x(expm1) x(log) x(log2) x(log10) x(log1p) x(sqrt) \
      x(cbrt) x(erf) x(erfc) x(tgamma) x(lgamma) x(floor) x(rint) x(nearbyint) x(trunc) x(logb)
#define NAME(name) name,
#define NAME_F(name) name##f,
#define NAME_L(name) name##l,
static const Function functions[] = {ALL(NAME)};
static const FunctionF functions_f[] = {ALL(NAME_F)};
static const FunctionL functions_l[] = {ALL(NAME_L)};

int main(void) {
  double sum = 0;
  for (unsigned k = 0; k < sizeof functions / sizeof functions[0]; k++)
    for (double x = 0.01; x < 1; x += 0.07) {
      sum += functions[k](x) + functions_f[k]((float)x) + (double)functions_l[k]((long double)x);
      sum += pow(x, 1.5 * x) + fmod(1 / x, x) + hypot(x, 2 * x) + (double)lround(100 * x) + fma(x, x, 1) + fmin(x, 0.5) + (x < 0.3);
    }
  printf("%g\n", sum);
  return !(sum > 0);
}
