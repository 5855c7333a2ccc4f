#!/usr/bin/env bash
# what: compute-sanitizer over every kernel: memory first, then races in shared memory
# seconds: 240
set -uo pipefail
if ! command -v compute-sanitizer >/dev/null; then echo "no compute-sanitizer on PATH; it comes with the CUDA toolkit" && exit 77; fi
failed=0
for tool in memcheck racecheck; do
  compute-sanitizer --target-processes all --tool "$tool" --error-exitcode 9 "$TESTS/cuda_gpu_kernels_test" >"$OUT/$tool.txt" 2>&1 || failed=1
  echo "$tool: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$OUT/$tool.txt" | tail -n 1)"
  grep -m 10 -E '^=========.*(Invalid|hazard|Error)' "$OUT/$tool.txt"
done
exit "$failed"
