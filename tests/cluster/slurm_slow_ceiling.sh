#!/usr/bin/env bash
# slurm_slow_ceiling.sh PLUMBLINE: of four nodes of a job, one has a fifth of a core (a CPU quota), and so lower ceilings. While these are
# measured again, every rank is killed (SIGKILL). The job requeues itself and resumes: what was finished is kept, all turns are taken again
# in the new session, the node is named, and a ceiling is among what is confirmed. Runs on the login node of with_cluster.sh --slurm --nodes 4.
set -euo pipefail
# shellcheck source=tests/cluster/held_node.sh
source "$(dirname "${BASH_SOURCE[0]}")/held_node.sh"

start_held_job "$1" "$here/slow_ceiling.toml"
for pid in $(ranks_on "$1" nodeA nodeB nodeC nodeD); do kill -KILL "$pid" 2>/dev/null || true; done
finish_held_job
/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 "$PLUMBLINE_STORE" nodeA nodeB nodeC nodeD || fail "the resumed store is not whole" job.log
/usr/bin/python3 - "$PLUMBLINE_STORE" <<'PYTHON' || fail "no ceiling is confirmed, or what was finished was measured again" nodes.json
import json
import sys

import h5py

slow = {row["node"]: row for row in json.load(open("nodes.json"))["rows"]}["nodeC"]
confirmed = [one["what"] for one in slow["again"] if one["what"] and one["what"].startswith("ceiling/") and one["confirmed"]]
assert confirmed, slow["again"]
with h5py.File(sys.argv[1]) as file:
    sessions = lambda table, *passes: {row["session"] for row in file[table][:] if not passes or row["pass"] in passes}
    first, second = sessions("outcomes", b"time"), sessions("outcomes", b"again")
    assert len(first) == 1 and len(second) == 1 and first != second, "what was finished before the kill was measured again"
    assert sessions("ceilings") == first and sessions("remeasured") == second
PYTHON
"$1" report "$PLUMBLINE_STORE" -o figures >report.log 2>&1 || fail "no report of nodes of which one is slower" report.log
grep -q '<td>nodeC</td><td>SLOWER</td>' figures/report.html || fail "the page does not tell which node is slower" report.log
if [[ -n ${PLUMBLINE_KEEP:-} ]]; then cp "$PLUMBLINE_STORE" nodes.json figures/report.html "$PLUMBLINE_KEEP"; fi
