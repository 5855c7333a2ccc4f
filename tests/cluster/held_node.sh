# shellcheck shell=bash
# A job on four nodes of which one, nodeC, has a fifth of a core (a CPU quota); sourced by the tests that interrupt it while it is measured again.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
# shellcheck source=tests/cluster/quota.sh
source "$here/quota.sh"

# start_held_job PLUMBLINE CAMPAIGN: submits $job, and returns when nodeC works (waiting does not use up its quota) after it was said that the
# suspicious are measured again.
start_held_job() {
  export PLUMBLINE=$1 PLUMBLINE_CAMPAIGN=$2 PLUMBLINE_STORE=$PLUMBLINE_CLUSTER/run/slow.h5
  mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run" || exit 1
  groups_up nodeA nodeB nodeC nodeD
  hold nodeC 0.2
  job=$(submit_partition job.log 4 1)
  wait_for_state "$job" 60 RUNNING || fail "the job did not start" job.log
  wait_for_line 180 'measured again beside' job.log || fail "nothing was measured again within 180 s" job.log
  wait_for_throttling nodeC 60 || fail "nodeC did not measure again within 60 s" job.log
}

# finish_held_job: the interrupted job has requeued itself, resumes, and names nodeC with what holds it: exit code 3, also of `plumbline nodes`,
# whose answer is then in nodes.json.
finish_held_job() {
  local status=0
  wait_for_state "$job" 60 PENDING REQUEUED || fail "the job did not requeue itself" job.log
  start_requeued "$job"
  wait_for_end "$job" 300 || fail "the job did not end within 300 s" job.log
  [[ $(job_field "$job" ExitCode) == 3:0 ]] || fail "the job ended with $(job_field "$job" ExitCode), not 3" job.log
  grep -q 'nodeC is slower than like nodes' job.log || fail "the log does not name the slow node" job.log
  grep -q 'CPU quota 0.200 cores' job.log || fail "the log does not say what holds it" job.log
  "$PLUMBLINE" nodes "$PLUMBLINE_STORE" --json >nodes.json || status=$?
  ((status == 3)) || fail "plumbline nodes ended with $status, not 3" nodes.json
  /usr/bin/python3 - <<'PYTHON' || fail "plumbline nodes does not say it" nodes.json
import json
slow = {row["node"]: row for row in json.load(open("nodes.json"))["rows"]}["nodeC"]
assert slow["verdict"] == "SLOWER" and slow["again_peers"], slow
assert any(one["confirmed"] and one["slowdown"] > 1.5 for one in slow["again"]), slow["again"]
assert all(one["turns"] >= 5 for one in slow["again"]), slow["again"]
assert abs(slow["conditions"]["cpu_quota_cores"]["value"] - 0.2) < 1e-6, slow["conditions"]
assert slow["conditions"]["throttled_periods"]["value"] > 0, slow["conditions"]
for condition in slow["conditions"].values():
    assert condition["value"] is not None or condition["reason"], "absent without a reason"
PYTHON
}
