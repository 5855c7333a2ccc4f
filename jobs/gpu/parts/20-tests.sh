#!/usr/bin/env bash
# what: every test with the label gpu: results, counts, refusals
# seconds: 90
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
seconds=$(limit 90)
[[ -s $TESTS/gpu_tests.txt ]] || { echo "no list of tests in $TESTS: was it built with the CUDA toolkit, and all of it?" && exit 1; }
failed=()
ran=0
while read -r test; do
  echo "--- $test"
  processes=1
  [[ $test != *_kernels_test ]] || processes=$(shards) # what counts has the GPU's counters for itself alone
  sharded "$processes" "$OUT/$test.txt" "$seconds" "$TESTS/$test"
  status=$?
  tail -n 3 "$OUT/$test.txt"
  case $status in
    0) ran=$((ran + 1)) ;;
    77) echo "$test was skipped" ;;
    124 | 137) echo "$test hangs: it was ended after $seconds s; see $OUT/$test.txt" && failed+=("$test hangs") ;;
    *) failed+=("$test ended with exit code $status") && grep -E '^\[  FAILED|Failure|error' "$OUT/$test.txt" | head -n 20 ;;
  esac
done <"$TESTS/gpu_tests.txt"
((ran > 0)) || { echo "no test ran" && exit 1; }
limited "$(limit 30)" "$BIN/plumbline" doctor --json >"$OUT/doctor.json"
told=$(python3 "$(dirname "${BASH_SOURCE[0]}")/../counted.py" "$OUT/doctor.json")
judged=$?
echo "$told"
case $judged in
  0 | 3) ;;
  4) failed+=("the tests that count were skipped: $(grep -v '^=*$' <<<"$told")") ;;
  *) failed+=("counted.py ended with $judged: whether the tests that count ran is not known") ;;
esac
((${#failed[@]} == 0)) || { printf 'failed: %s\n' "${failed[@]}" && exit 1; }
