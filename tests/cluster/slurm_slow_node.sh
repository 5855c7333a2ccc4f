#!/usr/bin/env bash
# slurm_slow_node.sh PLUMBLINE: of four nodes of a job, one has a fifth of a core (a CPU quota). The nodes measure in turns, the slow one is
# measured again beside its peers and named, with the quota as evidence: exit code 3. While it measures again the job is told that its time is
# up: it stops with 75 between two nodes, requeues itself, and takes all turns again. That nobody else is named is the soak's to show
# (slow_node_soak.sh): here other programs may disturb. Runs on the login node of with_cluster.sh --slurm --nodes 4.
set -euo pipefail
# shellcheck source=tests/cluster/held_node.sh
source "$(dirname "${BASH_SOURCE[0]}")/held_node.sh"

start_held_job "$1" "$here/slow_node.toml"
scancel --signal=USR1 "$job"
finish_held_job
grep -q 'stopped early (75), requeueing' job.log || fail "the job script does not say that it stopped early" job.log
