#!/usr/bin/env bash
# corrupt_node.sh PROGRAM MPIEXEC: of three hosts one flips a bit of an array (corrupting_kernel.cpp, linked into PROGRAM). The run ends with 4 and
# says which node computed a wrong result, how often, and that like nodes have it right; so does plumbline nodes on the file, so does a run
# that is resumed without that host, on two nodes or on one, and so does one that is resumed when that host computes right again.
# Runs on the login node of with_cluster.sh --nodes 3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
measure() { on_all_hosts 180 "$mpiexec" 1 "$plumbline" run "$here/corrupt_node.toml" -o corrupt.h5 "$@"; }

status=0
measure >run.log 2>&1 || status=$?
((status == 4)) || fail "the run ended with $status, not 4" run.log
grep -q 'nodeB computed a wrong result: faulty/sum/fp64/n=4096/r1t1/gcc[0-9]*-O3-v2' run.log || fail "the node is not named" run.log
grep -q '3 times more here: wrong 3 times' run.log || fail "the result was not computed again" run.log
grep -q '2 like nodes computed it right' run.log || fail "nothing is said of its peers" run.log
status=0
"$plumbline" nodes corrupt.h5 --json >nodes.json || status=$?
((status == 4)) || fail "plumbline nodes ended with $status, not 4" nodes.json
/usr/bin/python3 - <<'PYTHON' || fail "the finding is not what it should be" nodes.json
import json
wrong = json.load(open("nodes.json"))["wrong_results"]
assert [(one["node"], one["peers_right"], one["peers_wrong"]) for one in wrong] == [("nodeB", 2, 0)], wrong
assert "expected at most" in wrong[0]["reason"], wrong
PYTHON
status=0
PLUMBLINE_CLUSTER_NODES=nodeA,nodeC measure --resume >resumed.log 2>&1 || status=$?
((status == 4)) || fail "without the node that was wrong the run is resumed with $status, not 4" resumed.log
grep -q 'nodeB computed a wrong result' resumed.log || fail "the resumed run does not name the node" resumed.log
status=0
PLUMBLINE_CLUSTER_NODES=nodeC measure --resume >alone.log 2>&1 || status=$?
((status == 4)) || fail "on one other node the run is resumed with $status, not 4" alone.log
grep -q 'faulty/sum.* on nodeB: wrong result' alone.log || fail "the run resumed on one node does not name the other" alone.log
: >healed
status=0
measure --resume >healed.log 2>&1 || status=$?
((status == 4)) || fail "when the node is right again the run is resumed with $status, not 4" healed.log
grep -q 'nodeB computed a wrong result.* tried again since' healed.log || fail "the wrong result of before is not told" healed.log
/usr/bin/python3 - <<'PYTHON' || fail "the file does not keep the wrong result beside the right one"
import json
import h5py
with h5py.File("corrupt.h5") as file:
    wrong = json.loads(file.attrs["provenance"])["wrong_results"]
    status = [bytes(o["status"]) for o in file["outcomes"][:] if o["pass"] == b"time"]
assert {one["node"] for one in wrong} == {"nodeB"} and all(one["started_unix_ns"] > 0 for one in wrong), wrong
assert status == [b"ok"] * 3, status
PYTHON
