#!/usr/bin/env bash
# launchers_join_both_hosts.sh HELLO: hydra over two hosts, srun --mpi=pmi2 and mpiexec inside sbatch each make one world of four ranks
# on two hostnames. What the other tests here rest on, shown without Plumbline. Runs on the login node of with_cluster.sh --slurm.
set -euo pipefail
# shellcheck source=tests/cluster/submit.sh
source "$(dirname "${BASH_SOURCE[0]}")/submit.sh"

hello=$1
mpiexec=${2:-mpiexec.mpich}
work=$PLUMBLINE_CLUSTER/run
mkdir -p "$work" && cd "$work"

expect_two_hosts() {
  local expected
  expected=$(printf 'host node%s world 4 sum 6\n' A A B B)
  [[ $(sort "$1") == "$expected" ]] || fail "$2: not two ranks on each of two hosts in one world" "$1"
  echo "$2: four ranks on nodeA and nodeB"
}

"$mpiexec" -launcher ssh -launcher-exec "$PLUMBLINE_CLUSTER_LAUNCHER" -iface bridge0 -hosts "$PLUMBLINE_CLUSTER_NODES" -n 4 \
  "$hello" >hydra.out
expect_two_hosts hydra.out "hydra over a launcher"

cat >job.sh <<JOB
#!/usr/bin/env bash
srun --mpi=pmi2 $hello >srun.out
$mpiexec $hello >mpiexec.out
JOB
job=$(sbatch --parsable --nodes=2 --ntasks-per-node=2 --output=job.log job.sh)
wait_for_end "$job" 60 || fail "the job did not end within 60 s" job.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the job ended as $(job_state "$job")" job.log
expect_two_hosts srun.out "srun --mpi=pmi2"
expect_two_hosts mpiexec.out "mpiexec in a batch job"
