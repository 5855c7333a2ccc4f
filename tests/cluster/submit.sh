# shellcheck shell=bash
# Submitting to the virtual cluster's Slurm and waiting without sbatch --wait, which looks only every ten seconds. Sourced by the tests.

# fail TEXT [FILE...]: the reason, the files' ends, exit 1.
fail() {
  echo "FAILED: $1"
  shift
  local file
  for file in "$@"; do
    if [[ -s $file ]]; then echo "--- ${file##*/}" && tail -n 30 "$file"; fi
  done
  exit 1
}

job_state() { scontrol show job --oneliner "$1" | sed -n 's/.* JobState=\([A-Z_]*\).*/\1/p'; }

job_field() { scontrol show job --oneliner "$1" | sed -n "s/.* $2=\([^ ]*\).*/\1/p"; }

# wait_for_state JOB SECONDS STATE...: returns when the job is in one of the states.
wait_for_state() {
  local job=$1 end=$((SECONDS + $2)) state wanted
  shift 2
  while ((SECONDS < end)); do
    state=$(job_state "$job")
    for wanted in "$@"; do
      if [[ $state == "$wanted" ]]; then return 0; fi
    done
    sleep 0.2
  done
  return 1
}

wait_for_end() { wait_for_state "$1" "$2" COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY; }

# start_requeued JOB: Slurm holds a requeued job back for two minutes; StartTime lets it go.
start_requeued() {
  sleep 3 # a node refuses the job's new credential in the second in which it revoked the old one
  local end=$((SECONDS + 60))
  while ((SECONDS < end)); do
    scontrol update JobId="$1" StartTime=now 2>/dev/null || true
    if [[ $(job_state "$1") != PENDING ]]; then return; fi
    sleep 0.3
  done
}

# wait_for_journal SECONDS: returns when a case is durable in a journal below this folder.
wait_for_journal() {
  local end=$((SECONDS + $1))
  while ((SECONDS < end)); do
    if [[ -n $(find . -path '*.journal/*' -type f -size +0c -print -quit) ]]; then return 0; fi
    sleep 0.1
  done
  return 1
}
