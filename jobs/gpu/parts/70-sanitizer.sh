#!/usr/bin/env bash
# what: compute-sanitizer over every kernel: memory first, then races in shared memory
# seconds: 240
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
seconds=$(limit 115)
if ! command -v compute-sanitizer >/dev/null; then echo "no compute-sanitizer on PATH; it comes with the CUDA toolkit" && exit 77; fi
failed=0
# Not over a library's kernels: they are not ours, and there are many.
for tool in memcheck racecheck; do
  limited "$seconds" compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 9 "$TESTS/cuda_gpu_kernels_test" --gtest_filter='-*ert_gemm*' \
    >"$OUT/$tool.txt" 2>&1
  status=$?
  ((status == 124 || status == 137)) && echo "$tool: not through with all kernels after $seconds s: see $OUT/$tool.txt"
  ((status == 0)) || failed=1
  summary=$(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$OUT/$tool.txt" | tail -n 1)
  echo "$tool: ${summary:-no summary; the last line: $(tail -n 1 "$OUT/$tool.txt")}"
  grep -m 10 -E '^=========.*(Invalid|hazard|Error)' "$OUT/$tool.txt"
done
exit "$failed"
