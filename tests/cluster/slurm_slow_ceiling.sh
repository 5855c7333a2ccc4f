#!/usr/bin/env bash
# slurm_slow_ceiling.sh PLUMBLINE: of four nodes of a job, one has a fifth of a core (a CPU quota), and so lower ceilings. While these are
# measured again, every rank is killed (SIGKILL). The job requeues itself and resumes: what was finished is kept, all turns are taken again
# in the new session, the node is named, and a ceiling is among what is confirmed. Runs on the login node of with_cluster.sh --slurm --nodes 4.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
# shellcheck source=tests/cluster/quota.sh
source "$here/quota.sh"

export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$here/slow_ceiling.toml PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/slow.h5
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
groups_up nodeA nodeB nodeC nodeD
hold nodeC 0.2

job=$(sbatch --parsable --partition=debug --nodes=4 --ntasks-per-node=1 --cpus-per-task=1 --output=job.log "$here/../../jobs/slurm/partition.sbatch")
wait_for_state "$job" 60 RUNNING || fail "the job did not start" job.log
for ((try = 0; try < 1800; try++)); do
  if grep -q 'measured again beside' job.log 2>/dev/null; then break; fi
  sleep 0.1
done
grep -q 'measured again beside' job.log || fail "nothing was measured again within 180 s" job.log
sleep 1 # into the turns
for pid in /proc/[0-9]*; do # of this cluster alone: it has a PID namespace of its own
  if [[ $(readlink "$pid/exe" 2>/dev/null) == "$(readlink -f "$1")" ]]; then kill -KILL "${pid#/proc/}" 2>/dev/null || true; fi
done
wait_for_state "$job" 60 PENDING REQUEUED || fail "the job did not requeue itself" job.log
start_requeued "$job"
wait_for_end "$job" 300 || fail "the job did not end within 300 s" job.log
[[ $(job_field "$job" ExitCode) == 3:0 ]] || fail "the job ended with $(job_field "$job" ExitCode), not 3" job.log
grep -q 'nodeC is slower than like nodes' job.log || fail "the log does not name the slow node" job.log

/usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 "$PLUMBLINE_STORE" nodeA nodeB nodeC nodeD || fail "the resumed store is not whole" job.log
status=0
"$1" nodes "$PLUMBLINE_STORE" --json >nodes.json || status=$?
((status == 3)) || fail "plumbline nodes ended with $status, not 3" nodes.json
/usr/bin/python3 - "$PLUMBLINE_STORE" <<'PYTHON' || fail "the file or plumbline nodes does not say it" nodes.json
import json
import sys

import h5py

slow = {row["node"]: row for row in json.load(open("nodes.json"))["rows"]}["nodeC"]
assert slow["verdict"] == "SLOWER" and slow["again_peers"], slow
confirmed = [one["what"] for one in slow["again"] if one["what"] and one["what"].startswith("ceiling/") and one["confirmed"]]
assert confirmed, slow["again"]
assert all(one["turns"] >= 5 for one in slow["again"]), slow["again"]
assert abs(slow["conditions"]["cpu_quota_cores"]["value"] - 0.2) < 1e-6, slow["conditions"]
with h5py.File(sys.argv[1]) as file:
    sessions = lambda table, *passes: {row["session"] for row in file[table][:] if not passes or row["pass"] in passes}
    first, second = sessions("outcomes", b"time"), sessions("outcomes", b"again")
    assert len(first) == 1 and len(second) == 1 and first != second, "what was finished before the kill was measured again"
    assert sessions("ceilings") == first and sessions("remeasured") == second
PYTHON
"$1" report "$PLUMBLINE_STORE" -o figures >report.log 2>&1 || fail "no report of nodes of which one is slower" report.log
grep -q '<td>nodeC</td><td>SLOWER</td>' figures/report.html || fail "the page does not tell which node is slower" report.log
if [[ -n ${PLUMBLINE_KEEP:-} ]]; then cp "$PLUMBLINE_STORE" nodes.json figures/report.html "$PLUMBLINE_KEEP"; fi
