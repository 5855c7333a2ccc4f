#!/usr/bin/env bash
# slurm_part_of_node.sh PLUMBLINE: on a Slurm that holds each step to its cores (task/cgroup, ConstrainCores), the written script measures the
# node; a step that is given half of its cores, and one under a CPU quota, say so in a note, in the file and beside their ceilings. Runs on the
# login node of with_cluster.sh --slurm with PLUMBLINE_CLUSTER_TASKS=task/cgroup,task/affinity.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
# shellcheck source=tests/cluster/quota.sh
source "$here/quota.sh"
plumbline=$1

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
# shellcheck disable=SC2016 # the task's shell expands it
if ! left=$(srun --nodes=1 --ntasks=1 --cpus-per-task=1 --exact bash -c 'nproc' 2>srun.log); then
  echo "SKIP: this Slurm starts no task in a control group: $(tail -n 1 srun.log)" && exit 77
fi
cores=$(nproc)
cat >part.toml <<'END'
schema = "plumbline-campaign/1"
name = "part"
passes = ["time"]
counters = "none"
[ceilings]
mode = "quick"
only = ["FP64 vector FMA"]
END

# expect NAME LOG PART: the file NAME.h5 was measured on that part of the node; "": on all of it.
expect() {
  /usr/bin/python3 "$here/part_in_store.py" "$1.h5" "$3" || fail "$1: the file does not say what was measured" "$2"
  "$plumbline" ceilings "$1.h5" >"$1.txt"
  if [[ -z $3 ]]; then
    if grep -q "this run has" "$2"; then fail "$1: the whole node is called a part" "$2"; fi
  else
    grep -qF "note: this run has $3 of nodeA: ceilings and cases are of that part" "$2" || fail "$1: the run does not say that it has $3" "$2"
    grep -qF "nodeA was measured on $3: no ceiling is of the whole node" "$1.txt" || fail "$1: 'ceilings' says nothing of the part" "$1.txt"
  fi
}

sed "s/^cores = .*/cores = $cores/" "$here/cluster_machine.toml" >machine.toml
echo 'ranks = 1' >>machine.toml
"$plumbline" slurm part.toml --machine machine.toml --program "$plumbline" --minutes 10 --kind node -o scripts >/dev/null
job=$(PLUMBLINE_STORE=script.h5 sbatch --parsable --output=script.log scripts/node.sbatch)
wait_for_end "$job" 120 || fail "the written job did not end within 120 s" script.log
[[ $(job_state "$job") == COMPLETED ]] || fail "the written job ended as $(job_state "$job")" script.log
expect script script.log ""

if ((left == cores)); then
  echo "no part: a task of one CPU has all $cores CPUs here (ThreadsPerCore=${PLUMBLINE_CLUSTER_THREADS:-1})"
else
  timeout 120 srun --mpi=pmi2 --nodes=1 --ntasks=1 --cpus-per-task=1 --exact "$plumbline" run part.toml -o half.h5 >half.log 2>&1 || fail "half: the run failed" half.log
  expect half half.log "$left of $cores cores"
fi

groups_up nodeA
hold nodeA 1.5
timeout 120 srun --mpi=pmi2 --nodes=1 --ntasks=1 --exclusive --mem=0 --cpu-bind=none --cpus-per-task="$cores" "$plumbline" run part.toml -o quota.h5 >quota.log 2>&1 || fail "quota: the run failed" quota.log
expect quota quota.log "1 of $cores cores (a CPU quota of 1.5)"
