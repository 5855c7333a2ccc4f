#!/usr/bin/env bash
# slurm_drained_node.sh PLUMBLINE: with one node drained the nightly job neither waits for it nor hides that it is absent: the others are measured,
# and 'check' names the one that is missing. Runs on the login node of with_cluster.sh --slurm --nodes 3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
"$plumbline" slurm "$here/two_nodes.toml" --machine "$here/cluster_machine.toml" --nodes 3 --program "$plumbline" --minutes 10 \
  --kind nightly -o . >/dev/null

# night LOG STATE NODE...: a night that ends so, with these nodes in its file.
night() {
  local log=$1 state=$2 job
  shift 2
  job=$(sbatch --parsable --output="$log" nightly.sbatch)
  wait_for_end "$job" 180 || fail "$log: the job did not end within 180 s ($(job_state "$job"), $(job_field "$job" Reason))" "$log"
  [[ $(job_state "$job") == "$state" ]] || fail "$log: the job ended as $(job_state "$job"), not $state" "$log"
  /usr/bin/python3 "$here/nodes_in_store.py" plumbline-history/????-??-??-"$job".h5 "$@" || fail "$log: not these nodes: $*" "$log"
}

night first.log COMPLETED nodeA nodeB nodeC
scontrol update NodeName=nodeB State=DRAIN Reason="a fan"
night second.log FAILED nodeA nodeC
grep -q 'note: 2 of 3 nodes' second.log || fail "the job did not say that a node was lacking" second.log
grep -q ', 4 tasks, ' second.log || fail "the job did not have two tasks on each of its two nodes" second.log
grep -q '^MISSING .* on nodeB' second.log || fail "'check' did not name the absent node" second.log
if grep -q '^MISSING .* on node[AC]' second.log; then fail "'check' misses a node that was there" second.log; fi
