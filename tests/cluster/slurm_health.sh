#!/usr/bin/env bash
# slurm_health.sh PROGRAM MPIEXEC: of three hosts one flips a bit of an array (corrupting_kernel.cpp, linked into PROGRAM). 'plumbline health' across
# them names it in one line and ends with 4; and Slurm's own health check, which runs jobs/slurm/health.sh on each node by itself, drains that
# node with the line as its reason, and no other.
# Runs on the login node of with_cluster.sh --slurm --nodes 3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
program=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
status=0
on_all_hosts 120 "$mpiexec" 1 "$program" health "$here/corrupt_node.toml" >found.txt 2>health.log || status=$?
((status == 4)) || fail "health ended with $status, not 4" health.log found.txt
[[ $(wc -l <found.txt) == 1 ]] || fail "there is not one line" found.txt
grep -q '^nodeB: computed a wrong result: faulty/sum.*2 like nodes computed it right' found.txt || fail "the line does not name node and result" found.txt
grep -q '2 of 3 nodes in health: results checked, beside 2 like nodes' health.log || fail "nothing is said of the others" health.log
[[ -z $(find plumbline-out -type f 2>/dev/null) ]] || fail "what was measured is left behind"

# What Slurm runs has hardly any environment: a site's own lines say where things are.
cat >check_node.sh <<CHECK
#!/bin/bash
export PLUMBLINE=$program PLUMBLINE_CAMPAIGN=$here/corrupt_node.toml PLUMBLINE_HISTORY=$PWD/health/\${SLURMD_NODENAME:-\$(hostname -s)}
export SLURM_CONF=$SLURM_CONF
cd "$PWD" && exec "$here/../../jobs/slurm/health.sh"
CHECK
chmod +x check_node.sh
cat >>"$SLURM_CONF" <<CONF
HealthCheckProgram=$PWD/check_node.sh
HealthCheckInterval=5
HealthCheckNodeState=IDLE
CONF
scontrol reconfigure
node_field() { scontrol show node --oneliner "$1" | sed -n "s/.* $2=\([^ ]*\).*/\1/p"; }
end=$((SECONDS + 120))
until [[ $(node_field nodeB State) == *DRAIN* && -n $(find health/nodeA health/nodeC -maxdepth 1 -name '*.h5' 2>/dev/null) ]]; do
  ((SECONDS < end)) || fail "nodeB was not drained within 120 s: $(scontrol show node --oneliner nodeB)" health/*/.log
  sleep 0.5
done
reason=$(scontrol show node nodeB | sed -n 's/.*Reason=//p')
[[ $reason == "plumbline nodeB: computed a wrong result: faulty/sum"* ]] || fail "the reason is '$reason'"
for node in nodeA nodeC; do
  [[ $(node_field $node State) != *DRAIN* ]] || fail "$node was drained: $(scontrol show node $node)"
done
[[ -z $(find health/nodeB -maxdepth 1 -name '*.h5') ]] || fail "a wrong result is part of nodeB's history"
