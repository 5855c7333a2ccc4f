#!/usr/bin/env bash
# what: compute-sanitizer over every kernel: memory first, then races in shared memory
# seconds: 240
set -uo pipefail
if ! command -v compute-sanitizer >/dev/null; then echo "no compute-sanitizer on PATH; it comes with the CUDA toolkit" && exit 77; fi
failed=0
# Not over a library's kernels: they are not ours, and there are many.
for tool in memcheck racecheck; do
  timeout 115 compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 9 "$TESTS/cuda_gpu_kernels_test" --gtest_filter='-*ert_gemm*' \
    >"$OUT/$tool.txt" 2>&1
  status=$?
  ((status == 124)) && echo "$tool: not through with all kernels after 115 s: see $OUT/$tool.txt"
  ((status == 0)) || failed=1
  echo "$tool: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$OUT/$tool.txt" | tail -n 1)"
  grep -m 10 -E '^=========.*(Invalid|hazard|Error)' "$OUT/$tool.txt"
done
exit "$failed"
