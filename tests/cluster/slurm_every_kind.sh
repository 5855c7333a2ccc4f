#!/usr/bin/env bash
# slurm_every_kind.sh PLUMBLINE MPIEXEC: each kind of script that "plumbline slurm" writes, submitted as a user would, ends well and leaves what
# it says; the ranks started by srun (PMI2; PMIx: slurm_pmix.sh) and by mpiexec. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
write() { "$plumbline" slurm "${campaign:-$here/two_nodes.toml}" --machine "$here/cluster_machine.toml" --program "$plumbline" --minutes 10 "$@" >/dev/null; }
write -o srun
write --launcher mpiexec --mpiexec "$mpiexec" -o mpiexec
{ cat "$here/two_nodes.toml" && printf 'gpus = true\n'; } >gpus.toml # and ceilings of GPUs, which these nodes do not have: it says so
sed -i 's/mode = "none"/mode = "quick"\nonly = ["GPU *"]/' gpus.toml
campaign=gpus.toml write --kind gpu -o srun

# measured JOB LOG STORE NODE...: the job ends well, and its store holds these nodes.
measured() {
  local job=$1 log=$2 store=$3
  shift 3
  wait_for_end "$job" 180 || fail "$log: the job did not end within 180 s" "$log"
  [[ $(job_state "$job") == COMPLETED ]] || fail "$log: the job ended as $(job_state "$job")" "$log"
  /usr/bin/python3 "$here/nodes_in_store.py" "$store" "$@" || fail "$log: the store is not what these nodes should leave" "$log"
}

# submit LOG SCRIPT [OPTION...]
submit() {
  local log=$1 script=$2
  shift 2
  sbatch --parsable --output="$log" "$@" "$script"
}

job=$(submit partition.log srun/partition.sbatch)
measured "$job" partition.log "plumbline-out/two_nodes-$job.h5" nodeA nodeB
job=$(submit mpiexec.log mpiexec/partition.sbatch)
measured "$job" mpiexec.log "plumbline-out/two_nodes-$job.h5" nodeA nodeB
job=$(submit node.log srun/node.sbatch --nodelist=nodeB)
measured "$job" node.log "plumbline-out/two_nodes-$job.h5" nodeB
job=$(submit gpu.log srun/gpu.sbatch --nodelist=nodeA)
measured "$job" gpu.log "plumbline-out/two_nodes-$job.h5" nodeA
grep -q 'note: .*GPU' gpu.log || fail "the job for GPUs does not say that there are none" gpu.log
job=$(submit validation.log srun/validation.sbatch --nodelist=nodeA)
measured "$job" validation.log "plumbline-out/two_nodes-$job.h5" nodeA

job=$(submit nightly.log srun/nightly.sbatch)
wait_for_end "$job" 180 || fail "the nightly job did not end within 180 s" nightly.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the first night ended as $(job_state "$job")" nightly.log
grep -q 'there is no earlier night to hold this one against' nightly.log || fail "'check' did not say that this is the first night" nightly.log
night=$(echo plumbline-history/????-??-??-"$job".h5)
/usr/bin/python3 "$here/nodes_in_store.py" "$night" nodeA nodeB || fail "no night in the history" nightly.log
