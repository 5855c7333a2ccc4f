#!/usr/bin/env bash
# messages_between_hosts.sh PLUMBLINE [MPIEXEC]: two hosts of two ranks measure their messages inside and between, and come to an end.
# The hosts share the machine's cores, so no rate is asserted. Runs on the login node of with_cluster.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
status=0
on_all_hosts 120 "${2:-mpiexec.mpich}" 2 "$1" run "$here/messages.toml" -o messages.h5 >run.log 2>&1 || status=$?
((status == 0)) || fail "the run over two hosts ended with $status" run.log
/usr/bin/python3 "$here/links_in_store.py" messages.h5 nodeA nodeB || fail "the store has not the links of two hosts" run.log
"$1" ceilings messages.h5 --node nodeA | grep -q 'MPI latency between nodes' || fail "plumbline ceilings does not show the link"
