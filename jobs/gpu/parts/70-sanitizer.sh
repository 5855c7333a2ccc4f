#!/usr/bin/env bash
# what: compute-sanitizer over every kernel: memory, and races in shared memory, at once where several processes may use the GPU
# seconds: 150
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
seconds=$(limit 115)
if ! command -v compute-sanitizer >/dev/null; then echo "no compute-sanitizer on PATH; it comes with the CUDA toolkit" && exit 77; fi
tools=(memcheck racecheck)
# checked TOOL N: not over a library's kernels, which are not ours, and there are many.
checked() {
  sharded "$2" "$OUT/$1.txt" "$seconds" compute-sanitizer --target-processes all --tool "$1" --error-exitcode 9 "$TESTS/cuda_gpu_kernels_test" \
    --gtest_filter='-*ert_gemm*'
}
processes=$(shards)
running=()
if ((processes > 1)); then
  for tool in "${tools[@]}"; do
    checked "$tool" $((processes / 2)) &
    running+=($!)
  done
fi
failed=0
for i in "${!tools[@]}"; do
  tool=${tools[i]} status=0
  if ((processes > 1)); then wait "${running[i]}" || status=$?; else checked "$tool" 1 || status=$?; fi
  ((status == 124 || status == 137)) && echo "$tool: not through with all kernels after $seconds s: see $OUT/$tool.txt"
  ((status == 0)) || failed=1
  summary=$(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$OUT/$tool.txt" | sort -u | paste -sd ';') # each process has one
  echo "$tool: ${summary:-no summary; the last line: $(tail -n 1 "$OUT/$tool.txt")}"
  grep -m 10 -E '^=========.*(Invalid|hazard|Error)' "$OUT/$tool.txt"
done
exit "$failed"
