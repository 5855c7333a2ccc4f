#!/usr/bin/env bash
# Runs COMMAND on the login node of a small virtual cluster, and takes the cluster down with it.
#
#   with_cluster.sh [--slurm] [--nodes N] [--cpus N] -- COMMAND [ARGUMENT...]
#
# A node is a set of kernel namespaces (network, hostname, IPC, mounts) named nodeA, nodeB, ...: real distinct hostnames and real TCP over
# a bridge, on one file system. With --slurm a munge daemon, a slurmctld and one slurmd a node serve it.
# The whole cluster lives in namespaces of its own, a PID namespace among them: when this script ends, however it ends, the kernel ends
# every process in it and nothing of it was ever visible outside. So runs may overlap and none finds another's leftovers.
#
# COMMAND finds in its environment:  PLUMBLINE_CLUSTER (state: NODE.pid, hosts, log/), PLUMBLINE_CLUSTER_NODES ("nodeA,nodeB"),
# PLUMBLINE_CLUSTER_LAUNCHER (for hydra's -launcher-exec) and, with --slurm, SLURM_CONF.
# Exit codes: COMMAND's own · 1 the cluster did not come up · 2 wrong use · 77 it cannot be built here; the reason is printed.
set -euo pipefail

slurm=false
nodes=2
cpus=2
while (($# > 0)); do
  case $1 in
    --slurm) slurm=true ;;
    --nodes) nodes=${2:?--nodes needs a number} && shift ;;
    --cpus) cpus=${2:?--cpus needs a number} && shift ;;
    --) shift && break ;;
    *) echo "with_cluster: unknown option $1" >&2 && exit 2 ;;
  esac
  shift
done
if (($# == 0)) || ((nodes < 1 || nodes > 26)); then echo "with_cluster: needs -- COMMAND and 1 to 26 nodes" >&2 && exit 2; fi

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/hosts.sh
source "$here/hosts.sh"
# shellcheck source=tests/cluster/slurm.sh
source "$here/slurm.sh"

skip() { echo "SKIP: $*" && exit 77; }

require_what_is_needed() {
  local tool tools=(unshare nsenter ip)
  if $slurm; then tools+=(slurmctld slurmd munged sinfo); fi
  [[ $(id -u) == 0 ]] || skip "a virtual cluster needs root (namespaces, a bridge)"
  for tool in "${tools[@]}"; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
  unshare --net --uts --ipc --mount --pid --fork sh -c 'ip link add probe type bridge && ip link add one type veth peer name two' \
    >/dev/null 2>&1 || skip "this kernel or container lets root make no namespaces with bridges (CAP_SYS_ADMIN, CAP_NET_ADMIN)"
}

export PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
if [[ ${PLUMBLINE_CLUSTER_INSIDE:-} != 1 ]]; then
  require_what_is_needed
  find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'plumbline-cluster.*' -type d -empty -mmin +240 -delete 2>/dev/null || true # of runs killed hard
  arguments=(--nodes "$nodes" --cpus "$cpus")
  if $slurm; then arguments+=(--slurm); fi
  export PLUMBLINE_CLUSTER_INSIDE=1
  exec unshare --net --uts --ipc --mount --propagation private --pid --fork --kill-child --mount-proc bash "$0" "${arguments[@]}" -- "$@"
fi

# From here on this shell is process 1 of the cluster.
unset PLUMBLINE_CLUSTER_INSIDE # a command may open a cluster of its own
PLUMBLINE_CLUSTER=$(mktemp -d "${TMPDIR:-/tmp}/plumbline-cluster.XXXXXX")
mount -t tmpfs -o size=256m tmpfs "$PLUMBLINE_CLUSTER" # seen in here only: killed hard, it leaves an empty folder
chmod 755 "$PLUMBLINE_CLUSTER"
mkdir "$PLUMBLINE_CLUSTER/log"
# shellcheck disable=SC2317 # the trap calls it
take_down() {
  umount -l "$PLUMBLINE_CLUSTER" && rmdir "$PLUMBLINE_CLUSTER"
  if [[ ${PLUMBLINE_CLUSTER_TASKS:-} == *cgroup* ]]; then rmdir /sys/fs/cgroup/*/slurm_node? 2>/dev/null || true; fi # slurmd leaves them, empty
}
trap take_down EXIT
export PLUMBLINE_CLUSTER PLUMBLINE_CLUSTER_LAUNCHER="$here/launch_on_host.sh"
unset "${!SLURM_@}" "${!PMI_@}" # an outer job's words must not be taken for this cluster's

hosts_up "$nodes"
if $slurm; then slurm_up "$nodes" "$cpus"; fi

status=0
"$@" || status=$?
if ((status != 0 && status != 77)); then
  for log in "$PLUMBLINE_CLUSTER"/log/*; do
    if [[ -s $log ]]; then echo "--- the end of ${log##*/}" && tail -n 4 "$log"; fi
  done
fi
exit "$status"
