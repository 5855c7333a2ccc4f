#!/usr/bin/env bash
# dead_link_is_noticed.sh PLUMBLINE MPIEXEC: while two hosts measure, packets between them begin to be lost, all of them (the launcher still
# reaches both). MPI never notices: its barriers do not return. The run ends (75), each host has recorded what it waited for, and a
# resumed run over the healed link measures the rest. Runs on the login node of with_cluster.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
{ sed 's/to = 20/to = 8/' "$here/interrupted.toml" && printf '\n[deadline]\nfactor = 2\nfloor_seconds = 6\n'; } >campaign.toml

# isolate on|off: ports of a bridge that are isolated reach the bridge, but not each other.
isolate() {
  local port
  for port in veth0 veth1; do bridge link set dev "$port" isolated "$1"; done
}
isolate off 2>/dev/null || { echo "SKIP: this kernel or iproute2 cannot isolate ports of a bridge" && exit 77; }

measure() { on_all_hosts 150 "$mpiexec" 1 "$plumbline" run campaign.toml -o x.h5 "$@"; }

measure >first.log 2>&1 &
first=$!
wait_for_finished 60 x.journal/node{A,B} || fail "no case was finished on both hosts within 60 s" first.log
isolate on
status=0
wait "$first" || status=$?
# Where the hosts' ranks leave within the same moment, Hydra at times has no code of theirs, and tells 1 or its own SIGKILL in its place.
((status == 75)) || { [[ $status == [19] ]] && grep -q 'BAD TERM' first.log; } || fail "ended with $status, not 75" first.log
grep -q 'wait for another node: a dead link' first.log || fail "the log does not say what was waited for" first.log
records=(x.journal/*.deadlines)
[[ -s ${records[0]} ]] || fail "nothing was recorded" first.log
isolate off
measure --resume >second.log 2>&1 || fail "the resumed run ended with $?" second.log
/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 x.h5 nodeA nodeB || fail "the resumed store is not whole" second.log
