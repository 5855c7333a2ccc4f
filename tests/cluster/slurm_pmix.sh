#!/usr/bin/env bash
# slurm_pmix.sh PLUMBLINE: the written scripts also start their ranks through PMIx, where both Slurm and the linked MPI speak it; elsewhere a
# skip. Debian 12 is such an elsewhere, tried: its Slurm's plugin opens libpmix.so, which only libpmix-dev brings, and its MPICH 4.0.2 was built
# without PMIx: with the plugin at work each rank is alone, which plumbline refuses. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
if ! pmix=$(srun --mpi=pmix --ntasks=1 "$plumbline" --version 2>&1); then
  echo "SKIP: srun --mpi=pmix does not work here: $(grep -m 1 -o 'can not load PMIx library' <<<"$pmix" || head -n 1 <<<"$pmix")"
  echo "(on Debian 12 it needs libpmix-dev, and then its MPICH, built without PMIx, still joins no ranks)"
  exit 77
fi
if alone=$(srun --mpi=pmix --nodes=1 --ntasks=2 "$plumbline" run "$here/two_nodes.toml" -o alone.h5 2>&1); then
  rm alone.h5
elif grep -q 'each of them is alone' <<<"$alone"; then
  echo "SKIP: the linked MPI does not speak PMIx: $(grep -m 1 'each of them is alone' <<<"$alone")"
  exit 77
fi
"$plumbline" slurm "$here/two_nodes.toml" --machine "$here/cluster_machine.toml" --program "$plumbline" --minutes 10 -o srun >/dev/null
job=$(PLUMBLINE_SRUN_MPI=pmix sbatch --parsable --output=pmix.log srun/partition.sbatch)
wait_for_end "$job" 180 || fail "the job did not end within 180 s" pmix.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the job ended as $(job_state "$job")" pmix.log
/usr/bin/python3 "$here/nodes_in_store.py" "plumbline-out/two_nodes-$job.h5" nodeA nodeB || fail "the store lacks a node" pmix.log
