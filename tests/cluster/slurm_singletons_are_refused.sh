#!/usr/bin/env bash
# slurm_singletons_are_refused.sh PLUMBLINE: srun --mpi=none starts as many worlds of one rank as there are tasks; Plumbline holds its
# world against SLURM_NTASKS and refuses, instead of measuring everything N times. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
status=0
timeout -k 3 90 srun --mpi=none --nodes=2 --ntasks=2 "$1" run "$here/two_nodes.toml" -o singletons.h5 >run.log 2>&1 || status=$?
((status == 2)) || fail "ended with $status instead of 2" run.log
[[ ! -e singletons.h5 ]] || fail "left a store" run.log
grep -qiE 'rank|world|launch' run.log || fail "the message names neither ranks nor launcher" run.log
grep -iE 'rank|world|launch' run.log | head -n 1
