#!/usr/bin/env bash
# hydra_two_hosts.sh PLUMBLINE [MPIEXEC]: one run over two hosts without a batch system: every case is measured on both.
# Runs on the login node of with_cluster.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
status=0
on_all_hosts 180 "${2:-mpiexec.mpich}" 2 "$1" run "$here/two_nodes.toml" -o two_hosts.h5 >run.log 2>&1 || status=$?
((status == 0)) || fail "the run over two hosts ended with $status" run.log
/usr/bin/python3 "$here/nodes_in_store.py" two_hosts.h5 nodeA nodeB || fail "the store is not what two hosts should leave" run.log
