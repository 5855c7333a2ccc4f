# shellcheck shell=bash
# Ranks on the virtual cluster: started by hydra, or submitted to its Slurm and waited for without sbatch --wait, which looks only every ten
# seconds. Sourced by the tests.

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

# on_all_hosts SECONDS MPIEXEC RANKS COMMAND...: so many ranks on each host, without a batch system.
on_all_hosts() {
  local hosts
  IFS=, read -ra hosts <<<"$PLUMBLINE_CLUSTER_NODES"
  timeout -k 3 "$1" "$2" -launcher ssh -launcher-exec "$PLUMBLINE_CLUSTER_LAUNCHER" -iface bridge0 -hosts "$PLUMBLINE_CLUSTER_NODES" \
    -ppn "$3" -n $((${#hosts[@]} * $3)) "${@:4}"
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

# submit_partition LOG NODES RANKS [OPTION...]: jobs/slurm/partition.sbatch as a user would submit it, so many ranks a node; prints the job's number.
submit_partition() {
  sbatch --parsable --partition=debug --nodes="$2" --ntasks-per-node="$3" --cpus-per-task=1 --output="$1" "${@:4}" \
    "$(dirname "${BASH_SOURCE[0]}")/../../jobs/slurm/partition.sbatch"
}

# wait_for_line SECONDS PATTERN FILE...: returns when each of the files has such a line.
wait_for_line() {
  local end=$((SECONDS + $1)) pattern=$2 file
  for file in "${@:3}"; do
    until grep -qa -e "$pattern" "$file" 2>/dev/null; do
      if ((SECONDS >= end)); then return 1; fi
      sleep 0.1
    done
  done
}

# wait_for_finished SECONDS JOURNAL...: returns when each of these journals (NAME.journal/NODE) holds something finished; its header alone is nothing.
wait_for_finished() { wait_for_line "$1" '"outcome":' "${@:2}"; }

# processes_on NODE: all that run there, but the one that holds its namespaces.
processes_on() {
  local holder mine pid
  holder=$(<"$PLUMBLINE_CLUSTER/$1.pid")
  mine=$(readlink "/proc/$holder/ns/uts")
  for pid in /proc/[0-9]*; do
    pid=${pid#/proc/}
    if [[ $pid != "$holder" && $(readlink "/proc/$pid/ns/uts" 2>/dev/null) == "$mine" ]]; then echo "$pid"; fi
  done
}

# ranks_on PROGRAM NODE...: the processes there that run it.
ranks_on() {
  local program node pid
  program=$(readlink -f "$1")
  for node in "${@:2}"; do
    for pid in $(processes_on "$node"); do
      if [[ $(readlink "/proc/$pid/exe" 2>/dev/null) == "$program" ]]; then echo "$pid"; fi
    done
  done
}
