// SPDX-License-Identifier: BSD-3-Clause
//
// Twelve functions of known work (known_functions.h), of which each tells what it did and the CPU time that it took: "name flops seconds".
#include "known_functions.h"

int main(int argc, char** argv) {
  const long rounds = argc > 1 ? atol(argv[1]) : 1;
  fill();
  for (const struct known* one = known_functions; one < known_functions + number_of_functions; one++) {
    const double seconds = run_one(one, rounds);
    printf("%s %ld %.6f\n", one->name, one->flops * one->sweeps * rounds, seconds);
  }
  return 0;
}
