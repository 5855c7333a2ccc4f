#!/usr/bin/env bash
# Drains this node where 'plumbline health' finds that it computes wrong results or is slower than it was. An example of a site's hook, in
# slurm.conf:
#   HealthCheckProgram=/opt/plumbline/share/plumbline/jobs/slurm/health.sh
#   HealthCheckInterval=86400
#   HealthCheckNodeState=IDLE,CYCLE
# or of an Epilog or a line for cron. By hand it does the same, as root: health.sh. jobs/slurm/README.md says more.
#
# The environment may say otherwise; Slurm gives this script hardly any, so a site sets these lines:
plumbline=${PLUMBLINE:-plumbline}
campaign=${PLUMBLINE_CAMPAIGN:-health}
history=${PLUMBLINE_HISTORY:-/var/lib/plumbline/health} # this node's earlier checks, which it is held against, and what was accepted
seconds=${PLUMBLINE_SECONDS:-50}                        # slurmd ends a HealthCheckProgram after 60

set -uo pipefail
PATH=$PATH:/usr/local/bin:/usr/bin:/bin
node=${SLURMD_NODENAME:-$(hostname -s)}
umask 022
mkdir -p "$history" || exit 1

exec 9>"$history/.lock"
flock -n 9 || exit 0 # a check of this node is going on

# Nothing of a job's environment: plumbline is no rank of it, and a step's CPU binding or modules are not the node.
found=$(env -i PATH="$PATH" HOME=/nonexistent TMPDIR="${TMPDIR:-/tmp}" ${PLUMBLINE_CLUSTER:+PLUMBLINE_CLUSTER="$PLUMBLINE_CLUSTER"} \
  "$plumbline" health "$campaign" --seconds "$seconds" --history "$history" 9>&- 2>"$history/.log")
status=$?
case $status in
  3 | 4)
    reason=$(head -n 1 <<<"$found" | tr -d '"\n' | cut -c 1-240)
    scontrol update NodeName="$node" State=DRAIN Reason="plumbline ${reason:-ended with $status}"
    ;;
  75) # the minute was over: what was measured is fine. Where health does not say so a case hung, which it ended
    if grep -q "not everything was measured" "$history/.log"; then status=0; fi
    ;;
esac
exit "$status"
