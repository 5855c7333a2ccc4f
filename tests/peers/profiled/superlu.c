/* A Poisson problem on a square, factored and solved by SuperLU. It prints what SuperLU itself says of its work. */
#include <slu_ddefs.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const int side = atoi(argv[1]), n = side * side;
  double* const values = doubleMalloc(5 * n);
  int *const rows = intMalloc(5 * n), *const starts = intMalloc(n + 1);
  int entries = 0;
  for (int point = 0; point < n; ++point) {
    const int x = point % side, y = point / side;
    const int near[5] = {y > 0 ? point - side : -1, x > 0 ? point - 1 : -1, point, x < side - 1 ? point + 1 : -1, y < side - 1 ? point + side : -1};
    starts[point] = entries;
    for (int k = 0; k < 5; ++k)
      if (near[k] >= 0) rows[entries] = near[k], values[entries++] = k == 2 ? 4 : -1;
  }
  starts[n] = entries;
  double* const right = doubleMalloc(n);
  for (int i = 0; i < n; ++i) right[i] = 1;
  SuperMatrix matrix, side_matrix, lower, upper;
  dCreate_CompCol_Matrix(&matrix, n, n, entries, values, rows, starts, SLU_NC, SLU_D, SLU_GE);
  dCreate_Dense_Matrix(&side_matrix, n, 1, right, n, SLU_DN, SLU_D, SLU_GE);
  superlu_options_t options;
  set_default_options(&options);
  SuperLUStat_t said;
  StatInit(&said);
  int failed = 0;
  int *const column_order = intMalloc(n), *const row_order = intMalloc(n);
  dgssv(&options, &matrix, column_order, row_order, &lower, &upper, &side_matrix, &said, &failed);
  printf("%.0f\n", (double)said.ops[FACT] + said.ops[SOLVE]);
  return failed != 0;
}
