#!/usr/bin/env bash
# one_rank_fails.sh MPIEXEC PROGRAM: a rank that fails while the others wait elsewhere ends the job with its own code.
set -euo pipefail
code=0
timeout -k 3 30 "$1" -n 2 "$2" --one-rank-fails || code=$?
[[ $code == 4 ]] || { echo "ended with $code instead of 4" && exit 1; }
