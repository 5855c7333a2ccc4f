#!/usr/bin/env bash
# what: the GPU's ceilings by three processes, one after the other: how far they differ
# seconds: 50
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
failed=0
for process in 1 2 3; do
  # One that fails at a ceiling has measured the others all the same; where one hangs, the next would hang as well.
  ((failed == 75)) && break
  measure "$PROGRAMS/share/plumbline/jobs/campaigns/gpu_repeat.toml" "$OUT/$process.h5" || { failed=$? && echo "process $process ended with exit code $failed"; }
  "$BIN/plumbline" ceilings "$OUT/$process.h5" --json >"$OUT/$process.json" || rm -f "$OUT/$process.json"
done
shopt -s nullglob
python3 "$(dirname "${BASH_SOURCE[0]}")/../repeatability.py" "$OUT/repeatability.json" "$OUT"/[123].json || exit 1
exit $((failed != 0))
