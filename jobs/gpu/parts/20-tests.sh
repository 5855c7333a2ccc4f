#!/usr/bin/env bash
# what: every test with the label gpu: results, counts, refusals
# seconds: 150
set -uo pipefail
failed=0
ran=0
while read -r test; do
  echo "--- $test"
  "$BIN/$test" >"$OUT/$test.txt" 2>&1
  status=$?
  tail -n 3 "$OUT/$test.txt"
  case $status in
    0) ran=$((ran + 1)) ;;
    77) echo "$test was skipped" ;;
    *) grep -E '^\[  FAILED|Failure|error' "$OUT/$test.txt" | head -n 20 && failed=1 ;;
  esac
done <"$BIN/gpu_tests.txt"
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
