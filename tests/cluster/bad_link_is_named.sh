#!/usr/bin/env bash
# bad_link_is_named.sh PLUMBLINE [MPIEXEC]: four hosts measure the map of their links, of which the network and not the cores that they share sets
# the speed: nobody is named. Then two of them reach each other by a slow cable, all others by the bridge: that link is named and neither of its
# nodes is, and `check` names it beside the earlier map. Then all of one host's traffic is slowed: now the node is named.
# Runs on the login node of with_cluster.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=${2:-mpiexec.mpich}
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"

on_host() { nsenter --target "$(<"$PLUMBLINE_CLUSTER/$1.pid")" --net "${@:2}"; }

usual=400 slow=40 # Mbit/s, of which the cores reach ten times as much: who else uses them matters little

# limit NODE DEVICE RATE: what leaves by this device leaves at so many Mbit/s.
limit() {
  on_host "$1" tc qdisc replace dev "$2" root tbf rate "$3mbit" burst 256kb latency 400ms 2>tc.log ||
    { echo "SKIP: no tc, or this kernel has no token bucket filter ($(head -n 1 tc.log))" && exit 77; }
}

# slow_cable NODE ADDRESS NODE ADDRESS: a cable of their own between two hosts.
slow_cable() {
  ip link add cable0 netns "$(<"$PLUMBLINE_CLUSTER/$1.pid")" type veth peer name cable0 netns "$(<"$PLUMBLINE_CLUSTER/$3.pid")"
  limit "$1" cable0 "$slow"
  limit "$3" cable0 "$slow"
  on_host "$1" ip link set cable0 up
  on_host "$3" ip link set cable0 up
  on_host "$1" ip route add "$4/32" dev cable0 src "$2"
  on_host "$3" ip route add "$2/32" dev cable0 src "$4"
}

measure() {
  on_all_hosts 150 "$mpiexec" 1 "$plumbline" run "$here/links.toml" -o "$1.h5" >"$1.log" 2>&1 || fail "the run with $1 ended with $?" "$1.log"
  "$plumbline" ceilings "$1.h5" --json >"$1.json" || fail "plumbline ceilings on the run with $1 ended with $?"
}

# named NAME [OPTION...]: measures, and the map names what the options say and nothing else.
named() {
  measure "$1"
  /usr/bin/python3 "$here/link_map.py" "$1.json" --nodes 4 "${@:2}" || fail "the map of the $1 network is wrong" "$1.log"
}

for host in nodeA nodeB nodeC nodeD; do limit "$host" eth0 "$usual"; done
named healthy
slow_cable nodeA 10.77.0.10 nodeC 10.77.0.12
named cable --link nodeA nodeC
"$plumbline" ceilings cable.h5 | grep -q 'nodeA - nodeC\|nodeC - nodeA' || fail "plumbline ceilings does not name the link"
status=0
"$plumbline" check cable.h5 --baseline healthy.h5 --json >check.json || status=$?
((status == 0)) || fail "plumbline check beside one healthy map, which makes nothing worse than SUSPECT, ended with $status" check.json
/usr/bin/python3 - <<'PYTHON' || fail "plumbline check does not name the link" check.json
import json
rows = [row for row in json.load(open("check.json"))["rows"] if row["class"].startswith("link ")]
slower = {(row["what"], row["node"]): row for row in rows if row["verdict"] == "SUSPECT"}
assert len(rows) == 12, len(rows)
assert slower[("ceiling/MPI link bandwidth/r2t1", "nodeA with nodeC")]["slowdown"] > 3, slower
PYTHON
for host in nodeA nodeC; do on_host "$host" ip link delete cable0 2>/dev/null || true; done
limit nodeB eth0 "$slow"
named node --node nodeB
