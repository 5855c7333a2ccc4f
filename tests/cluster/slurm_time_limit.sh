#!/usr/bin/env bash
# slurm_time_limit.sh PLUMBLINE LOOP_HERE: two jobs of one minute (Slurm's least) by scripts that `plumbline slurm --minutes 1` wrote; nobody but
# Slurm tells them that their time is up. The first has work for more than a minute: it hears of its end in time, stops with 75, and requeues
# itself until all is measured. In the second a rank loops for ever: the grace is spent, Slurm kills it (TIMEOUT), and the same script submitted
# again measures the rest. Neither loses or measures again what was finished. Runs on the login node of with_cluster.sh --slurm --nodes 4.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
plumbline=$1 loop_here=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
flavor=$("$plumbline" run "$here/time_limit.toml" --dry-run | grep -o 'gcc[0-9]*-O3-v2' | sort -u | tail -n 1) # however many compilers there are
for name in stops loops; do
  campaign=$here/time_limit.toml
  if [[ $name == loops ]]; then campaign=$here/interrupted.toml; fi
  sed "s/gcc[*]/${flavor%%-*}/" "$campaign" >$name.toml
  if [[ $name == loops ]]; then printf '\n[deadline]\nfloor_seconds = 600\n' >>$name.toml; fi # a deadline of its own must not come first
  "$plumbline" slurm $name.toml --machine "$here/cluster_machine.toml" --program "$plumbline" --minutes 1 --kind partition -o $name >/dev/null
done

# submit NAME LOG NODES [OPTION...]: prints the job's number.
submit() { PLUMBLINE_STORE=$1.h5 sbatch --parsable --nodes=2 --output="$2" --nodelist="$3" "${@:4}" "$1/partition.sbatch"; }

# keep_finished NAME: what the journals hold now, as NAME-before.h5, unless that is there.
keep_finished() {
  if [[ -e $1-before.h5 ]]; then return; fi
  cp -r "$1.journal" "$1-before.journal"
  "$plumbline" recover "$1-before.journal" >"$1-recover.log" 2>&1 || fail "what $1 has finished cannot be read" "$1-recover.log" "$1.log"
}

# follow NAME JOB SECONDS: returns when it has ended, and starts it again as often as it requeues itself.
follow() {
  local end=$((SECONDS + $3))
  while ((SECONDS < end)); do
    case $(job_state "$2") in
      PENDING | REQUEUED) keep_finished "$1" && start_requeued "$2" ;;
      COMPLETED | FAILED | CANCELLED | TIMEOUT) return ;;
      *) sleep 0.2 ;;
    esac
  done
  scontrol show job "$2" >"$1-job.log"
  fail "the job $1 did not end within $3 s" "$1-job.log" "$1.log" "$PLUMBLINE_CLUSTER/log/slurmctld"
}

stops_in_time() {
  local job restarts
  job=$(submit stops stops.log nodeA,nodeB)
  wait_for_state "$job" 30 RUNNING || fail "the job did not start" stops.log
  follow stops "$job" 240
  [[ $(job_state "$job") == COMPLETED ]] || fail "the job with more than a minute's work ended as $(job_state "$job")" stops.log
  restarts=$(job_field "$job" Restarts)
  ((restarts > 0)) || fail "the time limit did not stop the job" stops.log
  [[ $(grep -c 'stopped early (75), requeueing' stops.log) == "$restarts" ]] || fail "$restarts restarts, but not for 75 each" stops.log
  /usr/bin/python3 "$here/nodes_in_store.py" --sessions "2..$((restarts + 1))" --kept stops-before.h5 stops.h5 nodeA nodeB ||
    fail "the store of the job that stopped is not whole" stops.log
}

is_killed_when_the_grace_is_spent() {
  local job rank
  job=$(submit loops loops.log nodeC,nodeD)
  wait_for_finished 60 loops.journal/node{C,D} || fail "no case was finished on both nodes within 60 s" loops.log
  for rank in $(ranks_on "$plumbline" nodeC); do
    if grep -qz '^SLURM_LOCALID=0$' "/proc/$rank/environ"; then "$loop_here" "$rank" 30 || fail "no rank could be made to loop" loops.log; fi
  done
  wait_for_state "$job" 150 TIMEOUT || fail "the job that loops is $(job_state "$job"), not TIMEOUT" loops.log
  [[ -d loops.journal && $(job_field "$job" Restarts) == 0 ]] || fail "the job that loops did not end where it was" loops.log
  keep_finished loops
  job=$(PLUMBLINE_RESUME=1 submit loops resumed.log nodeC,nodeD --time=10)
  wait_for_end "$job" 180 || fail "the job that goes on did not end within 180 s" resumed.log
  [[ $(job_state "$job") == COMPLETED ]] || fail "the job that goes on ended as $(job_state "$job")" resumed.log
  /usr/bin/python3 "$here/nodes_in_store.py" --sessions 2 --kept loops-before.h5 loops.h5 nodeC nodeD || fail "the resumed store is not whole" resumed.log
}

status=0
stops_in_time &
first=$!
is_killed_when_the_grace_is_spent &
wait "$first" || status=1
wait $! || status=1
exit "$status"
