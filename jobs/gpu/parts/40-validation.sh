#!/usr/bin/env bash
# what: kernels of known counts, timed and counted by every metric of the GPU's table; each counter's grade; where they lie under the GPU's roofs by the trusted ones
# seconds: 280
# resumable: yes
# keeps: gpu_validation.h5
trap : TERM # of timeout: the program writes down what it has, and the steps after it follow
set -uo pipefail
# shellcheck source=jobs/gpu/parts/limits.bash
source "$(dirname "${BASH_SOURCE[0]}")/limits.bash"
here=$(dirname "${BASH_SOURCE[0]}")
campaign=$PROGRAMS/share/plumbline/jobs/campaigns/gpu_validation.toml
# First all times, by a process of their own: CUPTI's hooks in the driver may bias short launches. Then the counts, for which the profiler
# stays on from case to case: all cases once, so that each has counts before any has them twice.
for counters in none auto; do
  measure "$campaign" "$RESULTS/gpu_validation.h5" --resume --counters "$counters" --count-repetitions 1
  status=$?
  ((status == 75)) && break
done
# What is left of the part's seconds goes to all repetitions, by which the score tells how far counts repeat; what of it is not done, or fails,
# leaves the first counts as they are.
"$BIN/plumbline" doctor --json >"$OUT/doctor.json"
left=$(($(limit 280) - SECONDS))
if ((status == 0 && left >= $(limit 20))) && python3 "$here/../counted.py" "$OUT/doctor.json" >"$OUT/countable.txt"; then
  WITHIN=$left measure "$campaign" "$RESULTS/gpu_validation.h5" --resume || echo "not all cases were counted in all repetitions: exit code $?"
fi
"$BIN/plumbline" score "$RESULTS/gpu_validation.h5" --json >"$OUT/score.json"
"$BIN/plumbline" score "$RESULTS/gpu_validation.h5"
# By the counters that proved right; where none did, by the model, and show says so.
counters=()
if "$BIN/plumbline" score "$RESULTS/gpu_validation.h5" --choose "$OUT/counters.toml" --json >"$OUT/choice.json" 2>"$OUT/choice.txt"; then
  counters=(--counters "$OUT/counters.toml")
fi
"$BIN/plumbline" show "$RESULTS/gpu_validation.h5" ${counters[@]+"${counters[@]}"} --json >"$OUT/show.json"
"$BIN/plumbline" show "$RESULTS/gpu_validation.h5" ${counters[@]+"${counters[@]}"}
((status == 75)) && exit 75
python3 "$here/../measured.py" "$OUT/show.json" || exit 1
python3 "$here/../counted.py" "$OUT/doctor.json" "$OUT/score.json"
judged=$?
case $judged in
  0 | 3) exit "$status" ;;
  4) exit 1 ;;
  *) echo "counted.py ended with $judged: whether anything was counted is not known" && exit 1 ;;
esac
