#!/usr/bin/env bash
# Stands in for ssh: launch_on_host.sh [-OPTION...] HOST COMMAND... runs COMMAND on a host of the virtual cluster. For hydra:
#   mpiexec -launcher ssh -launcher-exec launch_on_host.sh -iface bridge0 -hosts nodeA,nodeB ...
while [[ ${1:-} == -* ]]; do shift; done
host=$1
shift
pid=$(cat "${PLUMBLINE_CLUSTER:?}/$host.pid") || exit 255
exec nsenter --target "$pid" --uts --ipc --net --mount --wd="$PWD" /bin/sh -c "$*"
