#!/usr/bin/env bash
# slurm_two_nodes.sh PLUMBLINE: jobs/slurm/partition.sbatch, submitted as a user would, measures both nodes of the job: the store holds every
# case for both hostnames. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$here/two_nodes.toml PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/two_nodes.h5
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"

job=$(submit_partition job.log 2 2)
wait_for_end "$job" 180 || fail "the job did not end within 180 s" job.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the job ended as $(job_state "$job")" job.log
/usr/bin/python3 "$here/nodes_in_store.py" "$PLUMBLINE_STORE" nodeA nodeB || fail "the store is not what two nodes should leave" job.log
