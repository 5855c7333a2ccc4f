#!/usr/bin/env bash
# slurm_requeue_resumes.sh PLUMBLINE: told by signal that its time is up, the job stops with 75, requeues itself, resumes, and leaves the
# whole campaign from two sessions with no case measured twice. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$here/interrupted.toml PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/interrupted.h5
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"

job=$(submit_partition job.log 2 2)
wait_for_state "$job" 30 RUNNING || fail "the job did not start" job.log
wait_for_finished 30 interrupted.journal/node{A,B} || fail "no case was finished within 30 s" job.log

scancel --signal=USR1 "$job" # to the ranks, as --signal=USR1@... does near the end of the time limit
wait_for_state "$job" 60 PENDING REQUEUED || fail "the job did not requeue itself" job.log
grep -q 'stopped early (75), requeueing' job.log || fail "the job script does not say that it stopped early" job.log
start_requeued "$job"
wait_for_end "$job" 180 || fail "the resumed job did not end within 180 s" job.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the resumed job ended as $(job_state "$job")" job.log
[[ $(job_field "$job" Restarts) == 1 ]] || fail "the job was restarted $(job_field "$job" Restarts) times, not once" job.log
/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 "$PLUMBLINE_STORE" nodeA nodeB || fail "the resumed store is not whole" job.log
