#!/usr/bin/env bash
# slurm_slow_node.sh PLUMBLINE: of four nodes of a job, one has a fifth of a core (a CPU quota). The nodes measure in turns, the slow one is
# measured again beside its peers and named, with the quota as evidence: exit code 3. While it measures again the job is told that its time is
# up: it stops with 75 between two nodes, requeues itself, and takes all turns again. That nobody else is named is the soak's to show
# (slow_node_soak.sh): here other programs may disturb. Runs on the login node of with_cluster.sh --slurm --nodes 4.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
# shellcheck source=tests/cluster/quota.sh
source "$here/quota.sh"

export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$here/slow_node.toml PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/slow.h5
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
groups_up nodeA nodeB nodeC nodeD
hold nodeC 0.2

job=$(sbatch --parsable --partition=debug --nodes=4 --ntasks-per-node=1 --cpus-per-task=1 --output=job.log "$here/../../jobs/slurm/partition.sbatch")
wait_for_state "$job" 60 RUNNING || fail "the job did not start" job.log
for ((try = 0; try < 900; try++)); do
  if grep -q 'measured again beside' job.log 2>/dev/null; then break; fi
  sleep 0.1
done
scancel --signal=USR1 "$job"
wait_for_state "$job" 60 PENDING REQUEUED || fail "the job did not requeue itself" job.log
grep -q 'measured again beside' job.log || fail "nothing was measured again before the signal" job.log
grep -q 'stopped early (75), requeueing' job.log || fail "the job script does not say that it stopped early" job.log
start_requeued "$job"
wait_for_end "$job" 300 || fail "the job did not end within 300 s" job.log
[[ $(job_field "$job" ExitCode) == 3:0 ]] || fail "the job ended with $(job_field "$job" ExitCode), not 3" job.log
grep -q 'nodeC is slower than like nodes' job.log || fail "the log does not name the slow node" job.log
grep -q 'CPU quota 0.200 cores' job.log || fail "the log does not say what holds it" job.log

status=0
"$1" nodes "$PLUMBLINE_STORE" --json >nodes.json || status=$?
((status == 3)) || fail "plumbline nodes ended with $status, not 3" nodes.json
/usr/bin/python3 - <<'PYTHON' || fail "plumbline nodes does not say it" nodes.json
import json
rows = {row["node"]: row for row in json.load(open("nodes.json"))["rows"]}
slow = rows["nodeC"]
assert slow["verdict"] == "SLOWER" and slow["again_peers"], slow
assert any(one["confirmed"] and one["slowdown"] > 1.5 for one in slow["again"]), slow["again"]
assert abs(slow["conditions"]["cpu_quota_cores"]["value"] - 0.2) < 1e-6, slow["conditions"]
assert slow["conditions"]["throttled_periods"]["value"] > 0, slow["conditions"]
for condition in slow["conditions"].values():
    assert condition["value"] is not None or condition["reason"], "absent without a reason"
PYTHON
