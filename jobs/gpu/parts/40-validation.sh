#!/usr/bin/env bash
# what: kernels of known counts, timed and counted by every metric of the GPU's table; each counter's grade
# seconds: 300
set -uo pipefail
campaign=$PROGRAMS/share/plumbline/jobs/campaigns/gpu_validation.toml
"$BIN/plumbline" run "$campaign" -o "$RESULTS/gpu_validation.h5" --resume
status=$?
"$BIN/plumbline" score "$RESULTS/gpu_validation.h5" --json >"$OUT/score.json"
"$BIN/plumbline" score "$RESULTS/gpu_validation.h5"
"$BIN/plumbline" show "$RESULTS/gpu_validation.h5" --json >"$OUT/show.json"
"$BIN/plumbline" show "$RESULTS/gpu_validation.h5"
exit "$status"
