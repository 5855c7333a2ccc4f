#!/usr/bin/env bash
# slow_node_soak.sh PLUMBLINE [RUNS] [RESULT.json]: RUNS jobs (20) on four nodes of which one has 1/1.2 of a core, and as many on four equal
# ones, in turn, through sbatch. At least 19 of 20 slow nodes must be named and nobody else ever. Runs on the login node of
# with_cluster.sh --slurm --nodes 4. What became of each job is in RESULT.json.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
# shellcheck source=tests/cluster/quota.sh
source "$here/quota.sh"

runs=${2:-20} result=$(realpath "${3:-$PLUMBLINE_CLUSTER/soak.json}")
export PLUMBLINE PLUMBLINE_CAMPAIGN=$here/slow_node.toml PLUMBLINE_STORE
PLUMBLINE=$(realpath "$1")
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
nodes=(nodeA nodeB nodeC nodeD)
groups_up "${nodes[@]}"

# measure NAME SLOW: one job; a line "NAME SLOW EXIT FILE" in jobs.txt.
measure() {
  local job
  PLUMBLINE_STORE=$PWD/$1.h5
  job=$(submit_partition "$1.log" 4 1)
  wait_for_end "$job" 300 || fail "job $1 did not end within 300 s" "$1.log"
  echo "$1 $2 $(job_field "$job" ExitCode)" >>jobs.txt
  "$PLUMBLINE" nodes "$PLUMBLINE_STORE" --json >"$1.json" || true
}

for ((run = 0; run < runs; run++)); do
  slow=${nodes[run % 4]}
  hold "$slow" 0.8333
  measure "slow$run" "$slow"
  hold "$slow" max
  measure "equal$run" none
done
/usr/bin/python3 "$here/slow_node_soak.py" "$runs" "$result"
