# shellcheck shell=bash
# Munge, slurmctld and the slurmds of the virtual cluster; sourced by with_cluster.sh.

# Everything that would need a service manager or a database is turned off, and cgroups unless a test asks for task/cgroup; the paths are short
# because unix sockets live there. Of a test's environment: PLUMBLINE_CLUSTER_TASKS, the task plugins; PLUMBLINE_CLUSTER_THREADS, hardware
# threads that a core of each node is said to have.
write_slurm_conf() {
  local state=$1 nodes=$2 cpus=$3 threads=${PLUMBLINE_CLUSTER_THREADS:-1} i
  cat <<CONF
ClusterName=plumbline
SlurmctldHost=login(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$state/munge/socket
CredType=cred/munge
SlurmctldPidFile=$state/slurmctld.pid
SlurmdPidFile=$state/slurmd.%n.pid
SlurmdSpoolDir=$state/spool/%n
StateSaveLocation=$state/state
SlurmctldLogFile=$state/log/slurmctld
SlurmdLogFile=$state/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=${PLUMBLINE_CLUSTER_TASKS:-task/none}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=2,sched_interval=2,batch_sched_delay=0
SwitchType=switch/none
MpiDefault=pmi2
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout=10
GresTypes=gpu
InactiveLimit=0
MinJobAge=300
KillWait=3
Waittime=0
JobRequeue=1
MessageTimeout=20
PropagateResourceLimits=NONE
CONF
  for ((i = 0; i < nodes; i++)); do
    echo "NodeName=$(host_name "$i") CPUs=$cpus Sockets=1 CoresPerSocket=$((cpus / threads)) ThreadsPerCore=$threads RealMemory=4000 Gres=gpu:1 State=UNKNOWN"
  done
  echo "PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
}

start_munge() {
  local state=$1
  mkdir -m 755 "$state/munge"
  (umask 077 && head -c 128 /dev/urandom >"$state/munge.key")
  munged --force --num-threads=2 --key-file="$state/munge.key" --socket="$state/munge/socket" --pid-file="$state/munge/munged.pid" \
    --log-file="$state/log/munged" --seed-file="$state/munge/seed" >/dev/null 2>&1
}

wait_until_idle() {
  local nodes=$1 try
  for ((try = 0; try < 300; try++)); do
    if [[ $(sinfo -h -t idle -o %D 2>/dev/null) == "$nodes" ]]; then return 0; fi
    sleep 0.1
  done
  echo "with_cluster: the nodes did not become idle within 30 s:" >&2
  sinfo -N -o '%N %T %E' >&2 || true
  tail -n 5 "$PLUMBLINE_CLUSTER"/log/* >&2
  exit 1
}

# slurm_up NODES CPUS: returns when every node is idle. Nothing takes it down: it ends with the PID namespace.
slurm_up() {
  local state=$PLUMBLINE_CLUSTER i name
  mkdir "$state/state" "$state/spool"
  write_slurm_conf "$state" "$1" "$2" >"$state/slurm.conf"
  echo 'Name=gpu File=/dev/null' >"$state/gres.conf" # a device that every machine has stands in for a GPU
  printf 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=yes\n' >"$state/cgroup.conf"
  export SLURM_CONF=$state/slurm.conf
  start_munge "$state"
  slurmctld -c -f "$SLURM_CONF"
  for ((i = 0; i < $1; i++)); do
    name=$(host_name "$i")
    mkdir "$state/spool/$name"
    nsenter --target "$(cat "$state/$name.pid")" --net --uts --ipc --mount slurmd -N "$name" -f "$SLURM_CONF"
  done
  wait_until_idle "$1"
}
