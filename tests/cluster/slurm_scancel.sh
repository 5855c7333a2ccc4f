#!/usr/bin/env bash
# slurm_scancel.sh PLUMBLINE: a plain scancel (SIGTERM, and SIGKILL after KillWait) ends the job at once, and the same script submitted again with
# PLUMBLINE_RESUME=1 measures the rest: the whole campaign from two sessions, no case twice. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$here/interrupted.toml PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/interrupted.h5
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"

job=$(submit_partition first.log 2 2)
wait_for_state "$job" 60 RUNNING || fail "the job did not start" first.log
wait_for_finished 60 interrupted.journal/node{A,B} || fail "no case was finished within 60 s" first.log

scancel "$job"
wait_for_state "$job" 60 CANCELLED || fail "the job did not end as CANCELLED within 60 s of scancel" first.log

export PLUMBLINE_RESUME=1
job=$(submit_partition second.log 2 2)
wait_for_end "$job" 180 || fail "the second job did not end within 180 s" second.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the second job ended as $(job_state "$job")" second.log
/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 "$PLUMBLINE_STORE" nodeA nodeB || fail "the resumed store is not whole" second.log
