#!/usr/bin/env bash
# slurm_lost_node.sh PLUMBLINE: everything on one node is killed while a job measures, its slurmd included; the node comes back. The job goes back
# into the queue, resumes, and loses nothing that was finished. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
"$1" slurm "$here/interrupted.toml" --machine "$here/cluster_machine.toml" --program "$1" --minutes 10 --kind partition -o . >/dev/null
export PLUMBLINE_STORE=x.h5

job=$(sbatch --parsable --nodes=2 --output=job.log partition.sbatch)
wait_for_state "$job" 60 RUNNING || fail "the job did not start" job.log
wait_for_finished 60 x.journal/node{A,B} || fail "no case was finished on both nodes within 60 s" job.log
for pid in $(processes_on nodeB); do kill -KILL "$pid" 2>/dev/null || true; done
wait_for_state "$job" 120 PENDING REQUEUED || fail "the job of a lost node was not put back into the queue" job.log
nsenter --target "$(cat "$PLUMBLINE_CLUSTER/nodeB.pid")" --net --uts --ipc --mount slurmd -N nodeB -f "$SLURM_CONF"
start_requeued "$job"
[[ $(job_field "$job" Restarts) -ge 1 ]] || fail "the job was not started again" job.log
wait_for_end "$job" 180 || fail "the resumed job did not end within 180 s" job.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the resumed job ended as $(job_state "$job")" job.log
/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 x.h5 nodeA nodeB || fail "the resumed store is not whole" job.log
