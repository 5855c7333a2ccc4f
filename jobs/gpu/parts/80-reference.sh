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
for result in ceilings validation; do
  settle "$RESULTS/gpu_$result.h5" # of a call that was killed
  if [[ -f $RESULTS/gpu_$result.h5 ]]; then cp "$RESULTS/gpu_$result.h5" "$kept/$result.h5"; fi
done
if [[ -f $RESULTS/40-validation/counters.toml ]]; then cp "$RESULTS/40-validation/counters.toml" "$kept/"; fi
python3 "$here/reference.py" "$RESULTS" "$kept/reference.json"
status=$?
python3 "$here/goals.py" "$kept/reference.json" || status=1
exit "$status"
