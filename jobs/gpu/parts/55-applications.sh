#!/usr/bin/env bash
# what: the papers' applications, timed and counted, and what plumbline expect says of them
# seconds: 90
# resumable: yes
# keeps: gpu_papers.h5
trap : TERM # of timeout: the program writes down what it has, and the steps after it follow
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
for counters in none auto; do # times by a process without CUPTI, as in part 40
  measure "$PROGRAMS/share/plumbline/jobs/campaigns/gpu_papers.toml" "$RESULTS/gpu_papers.h5" --resume --counters "$counters" --count-repetitions 1
  status=$?
  ((status == 75)) && break
done
"$BIN/plumbline" show "$RESULTS/gpu_papers.h5" --json >"$OUT/show.json"
"$BIN/plumbline" show "$RESULTS/gpu_papers.h5"
# With the ceilings, of which papers say something too, and the kernels by which a counter is known to be right.
shopt -s nullglob
stores=("$RESULTS"/gpu_{ceilings,validation,papers}.h5)
"$BIN/plumbline" expect "${stores[@]}" --json >"$OUT/expect.json"
"$BIN/plumbline" expect "${stores[@]}"
(($? == 0 || $? == 3)) || exit 1 # what differs from a paper is a finding
((status == 75)) && exit 75
python3 "$(dirname "${BASH_SOURCE[0]}")/../measured.py" "$OUT/show.json" || exit 1
exit "$status"
