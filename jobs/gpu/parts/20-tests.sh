#!/usr/bin/env bash
# what: every test with the label gpu: results, counts, refusals
# seconds: 150
set -uo pipefail
[[ -s $TESTS/gpu_tests.txt ]] || { echo "no list of tests in $TESTS: was it built with the CUDA toolkit, and all of it?" && exit 1; }
failed=0
ran=0
while read -r test; do
  echo "--- $test"
  timeout --foreground --kill-after=10 90 "$TESTS/$test" >"$OUT/$test.txt" 2>&1 # in front: what ends the part ends the test too
  status=$?
  tail -n 3 "$OUT/$test.txt"
  case $status in
    0) ran=$((ran + 1)) ;;
    77) echo "$test was skipped" ;;
    124 | 137) echo "$test hangs: it was ended after 90 s; see $OUT/$test.txt" && failed=1 ;;
    *) grep -E '^\[  FAILED|Failure|error' "$OUT/$test.txt" | head -n 20 && failed=1 ;;
  esac
done <"$TESTS/gpu_tests.txt"
((ran > 0)) || { echo "no test ran" && exit 1; }
"$BIN/plumbline" doctor --json >"$OUT/doctor.json"
python3 "$(dirname "${BASH_SOURCE[0]}")/../counted.py" "$OUT/doctor.json"
judged=$?
case $judged in
  0 | 3) ;;
  4) echo "the tests that count were skipped" && failed=1 ;;
  *) echo "counted.py ended with $judged: whether the tests that count ran is not known" && failed=1 ;;
esac
exit "$failed"
