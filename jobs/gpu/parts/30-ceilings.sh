#!/usr/bin/env bash
# what: every ceiling of the GPU, and how much of its vendor's limit each is
# seconds: 240
# resumable: yes
# keeps: gpu_ceilings.h5
trap : TERM # of timeout: the program writes down what it has, and the steps after it follow
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
measure "$PROGRAMS/share/plumbline/jobs/campaigns/gpu_ceilings.toml" "$RESULTS/gpu_ceilings.h5" --resume
status=$?
"$BIN/plumbline" ceilings "$RESULTS/gpu_ceilings.h5" --json >"$OUT/ceilings.json" || exit 1
"$BIN/plumbline" ceilings "$RESULTS/gpu_ceilings.h5"
((status == 75)) && exit 75
python3 "$(dirname "${BASH_SOURCE[0]}")/../measured.py" "$OUT/ceilings.json" || exit 1
exit "$status"
