#!/usr/bin/env bash
# slurm_bound_ranks.sh PLUMBLINE MPIEXEC: on a Slurm that binds each task to its CPUs, as many sites do, the written scripts leave the binding to
# plumbline: a campaign whose ranks have two threads is measured. Runs on the login node of with_cluster.sh --slurm with PLUMBLINE_CLUSTER_TASKS=
# task/affinity.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
# shellcheck disable=SC2016 # the tasks' shells expand it
bound=$(srun --nodes=1 --ntasks=2 --cpus-per-task=1 bash -c 'taskset -pc $$ | sed "s/.*: //"' | sort | tr '\n' ' ')
if [[ $bound != "0 1 " ]]; then echo "SKIP: this Slurm does not bind two tasks to a CPU each, but to: $bound" && exit 77; fi

sed 's/^team = .*/team = [{ ranks = 1, threads = 2 }]/' "$here/two_nodes.toml" >threads.toml
for launcher in srun mpiexec; do
  "$plumbline" slurm threads.toml --machine "$here/cluster_machine.toml" --program "$plumbline" --minutes 10 --kind node \
    --launcher "$launcher" --mpiexec "$mpiexec" -o "$launcher" >/dev/null
  job=$(sbatch --parsable --output="$launcher.log" "$launcher/node.sbatch")
  wait_for_end "$job" 180 || fail "$launcher: the job did not end within 180 s" "$launcher.log"
  [[ $(job_state "$job") == COMPLETED ]] || fail "$launcher: the job ended as $(job_state "$job")" "$launcher.log"
  /usr/bin/python3 "$here/nodes_in_store.py" "plumbline-out/two_nodes-$job.h5" nodeA || fail "$launcher: not measured" "$launcher.log"
done

sed 's/ --cpu-bind=none / /' srun/node.sbatch >bound.sbatch # as a user may launch it by hand
job=$(sbatch --parsable --output=bound.log bound.sbatch)
wait_for_end "$job" 180 || fail "bound: the job did not end within 180 s" bound.log
grep -q "left 1 of the node's .* launch without binding" bound.log || fail "the refusal does not say that the ranks are bound" bound.log
