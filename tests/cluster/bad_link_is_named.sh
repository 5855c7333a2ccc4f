#!/usr/bin/env bash
# bad_link_is_named.sh PLUMBLINE [MPIEXEC]: four hosts measure the map of their links. Two of them reach each other by a slow cable, all
# others by the bridge: that link is named and neither of its nodes is, and `check` names it beside an earlier map. Then all of one host's traffic is slowed: now the node is named.
# Runs on the login node of with_cluster.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=${2:-mpiexec.mpich}
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"

on_host() { nsenter --target "$(<"$PLUMBLINE_CLUSTER/$1.pid")" --net "${@:2}"; }

# slow_down NODE DEVICE: what leaves by this device leaves at 50 Mbit/s.
slow_down() {
  on_host "$1" tc qdisc add dev "$2" root tbf rate 50mbit burst 64kb latency 400ms 2>tc.log ||
    { echo "SKIP: no tc, or this kernel has no token bucket filter ($(head -n 1 tc.log))" && exit 77; }
}

# slow_cable NODE ADDRESS NODE ADDRESS: a cable of their own between two hosts.
slow_cable() {
  ip link add cable0 netns "$(<"$PLUMBLINE_CLUSTER/$1.pid")" type veth peer name cable0 netns "$(<"$PLUMBLINE_CLUSTER/$3.pid")"
  slow_down "$1" cable0
  slow_down "$3" cable0
  on_host "$1" ip link set cable0 up
  on_host "$3" ip link set cable0 up
  on_host "$1" ip route add "$4/32" dev cable0 src "$2"
  on_host "$3" ip route add "$2/32" dev cable0 src "$4"
}

measure() {
  timeout -k 3 150 "$mpiexec" -launcher ssh -launcher-exec "$PLUMBLINE_CLUSTER_LAUNCHER" -iface bridge0 -hosts "$PLUMBLINE_CLUSTER_NODES" \
    -ppn 1 -n 4 "$plumbline" run "$here/links.toml" -o "$1.h5" --overwrite >"$1.log" 2>&1 || fail "the run with $1 ended with $?" "$1.log"
  "$plumbline" ceilings "$1.h5" --json >"$1.json" || fail "plumbline ceilings on the run with $1 ended with $?"
}

# named NAME OPTION...: measures until the map names it. Hosts that share cores with other programs can hide it: then no test.
named() {
  local name=$1 code=77
  for _ in 1 2 3; do
    measure "$name"
    code=0 && /usr/bin/python3 "$here/link_map.py" "$name.json" --nodes 4 "${@:2}" || code=$?
    [ "$code" = 77 ] || break
  done
  [ "$code" = 77 ] && echo "SKIP: this machine's noise hides the slow $name" && exit 77
  [ "$code" = 0 ] || fail "the map with a slow $name is wrong" "$name.log"
}

measure healthy
slow_cable nodeA 10.77.0.10 nodeC 10.77.0.12
named cable --link nodeA nodeC
"$plumbline" ceilings cable.h5 | grep -q 'nodeA - nodeC\|nodeC - nodeA' || fail "plumbline ceilings does not name the link"
status=0
"$plumbline" check cable.h5 --baseline healthy.h5 --json >check.json || status=$?
((status == 3)) || fail "plumbline check beside the healthy map ended with $status, not 3" check.json
/usr/bin/python3 - <<'PYTHON' || fail "plumbline check does not name the link" check.json
import json
rows = [row for row in json.load(open("check.json"))["rows"] if row["class"].startswith("link ")]
slower = {(row["what"], row["node"]): row for row in rows if row["verdict"] == "SLOWER"}
assert len(rows) == 12, len(rows)
assert slower[("ceiling/MPI link bandwidth/r2t1", "nodeA with nodeC")]["slowdown"] > 3, slower
PYTHON
for host in nodeA nodeC; do on_host "$host" ip link delete cable0 2>/dev/null || true; done
slow_down nodeB eth0
named node --node nodeB
