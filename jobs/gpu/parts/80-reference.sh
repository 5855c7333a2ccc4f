#!/usr/bin/env bash
# what: small files of what the other parts found, for tests/golden and for comparing machines, and what they come to beside their goals
# seconds: 10
# closes: yes
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
here=$(dirname "${BASH_SOURCE[0]}")/..
kept=$RESULTS/kept
mkdir -p "$kept"
for result in ceilings validation papers; do
  settle "$RESULTS/gpu_$result.h5" # of a call that was killed
  if [[ -f $RESULTS/gpu_$result.h5 ]]; then cp "$RESULTS/gpu_$result.h5" "$kept/$result.h5"; fi
done
for part in 40-validation 75-recount; do # the later one's where it has judged more counts
  if [[ -f $RESULTS/$part/counters.toml ]]; then cp "$RESULTS/$part/counters.toml" "$kept/"; fi
done
python3 "$here/reference.py" "$RESULTS" "$kept/reference.json"
status=$?
# What the parts told was of the files as they were then: later parts may have added to them.
python3 "$here/reference.py" --anew "$BIN/plumbline" "$kept" || status=1
python3 "$here/goals.py" "$kept/reference.json" || status=1
exit "$status"
