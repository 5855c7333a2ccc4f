#!/usr/bin/env bash
# singletons.sh PROGRAM: two processes that a foreign launcher started end with 2 and one line between them.
set -euo pipefail
program=$1
unset "${!PMI_@}" "${!SLURM_@}" "${!OMPI_@}"
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
for rank in 0 1; do
  code=0
  OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$rank "$program" 2>>"$errors" >/dev/null || code=$?
  [[ $code == 2 ]] || { echo "singleton $rank ended with $code instead of 2" && exit 1; }
done
cat "$errors"
[[ $(wc -l <"$errors") == 1 ]] || { echo "expected one line between both" && exit 1; }
grep -q 'mpiexec' "$errors"
