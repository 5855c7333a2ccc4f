#!/usr/bin/env bash
# what: kernels of known counts, timed and counted by every metric of the GPU's table; each counter's grade; where they lie under the GPU's roofs by the trusted ones
# seconds: 200
# resumable: yes
# keeps: gpu_validation.h5
trap : TERM # of timeout: the program writes down what it has, and the steps after it follow
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=jobs/gpu/parts/limits.bash
source "$here/limits.bash"
# shellcheck source=jobs/gpu/parts/judging.bash
source "$here/judging.bash"
campaign=$PROGRAMS/share/plumbline/jobs/campaigns/gpu_validation.toml
# First all times, by a process of their own: CUPTI's hooks in the driver may bias short launches. Then the counts, for which the profiler
# stays on from case to case: all cases once, so that each has counts before any has them twice.
for counters in none auto; do
  measure "$campaign" "$RESULTS/gpu_validation.h5" --resume --counters "$counters" --count-repetitions 1
  status=$?
  ((status == 75)) && break
done
"$BIN/plumbline" doctor --json >"$OUT/doctor.json"
judge "$RESULTS/gpu_validation.h5"
((status == 75)) && exit 75
python3 "$here/../measured.py" "$OUT/show.json" || exit 1
python3 "$here/../counted.py" "$OUT/doctor.json" "$OUT/score.json"
judged=$?
case $judged in
  0 | 3) exit "$status" ;;
  4) exit 1 ;;
  *) echo "counted.py ended with $judged: whether anything was counted is not known" && exit 1 ;;
esac
