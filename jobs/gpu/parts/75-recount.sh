#!/usr/bin/env bash
# what: the counts of part 40 in three repetitions, by which the score tells how far they repeat
# seconds: 120
# resumable: yes
# after: 40-validation
trap : TERM # of timeout: the program writes down what it has, and the steps after it follow
set -uo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=jobs/gpu/parts/limits.bash
source "$here/limits.bash"
# shellcheck source=jobs/gpu/parts/judging.bash
source "$here/judging.bash"
[[ " ${DONE:-} " == *" 40-validation "* ]] || { echo "part 40-validation is not done: do it first" && exit 1; }
if ! python3 "$here/../counted.py" "$RESULTS/40-validation/doctor.json"; then echo "nothing can be counted: see part 40-validation" && exit 77; fi
measure "$PROGRAMS/share/plumbline/jobs/campaigns/gpu_validation.toml" "$RESULTS/gpu_validation.h5" --resume
status=$?
judge "$RESULTS/gpu_validation.h5"
exit "$status"
