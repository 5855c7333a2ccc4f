#!/usr/bin/env bash
# unshared_output.sh PLUMBLINE MPIEXEC: an output on a disk of each node's own is refused before anything is measured, by one line that names
# the nodes and leaves nothing behind; so it is where an earlier run left a journal of the same name on the other node.
# Runs on the login node of with_cluster.sh, where /dev/shm is a file system of each host's own.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
on() { "$PLUMBLINE_CLUSTER_LAUNCHER" "$@"; }
# refuse OUTPUT LOG
refuse() {
  local status=0
  on_all_hosts 180 "$mpiexec" 2 "$plumbline" run "$here/two_nodes.toml" -o "$1" >"$2" 2>&1 || status=$?
  ((status == 2)) || fail "the output $1 ended the run with $status, not 2" "$2"
  [[ $(grep -c '^plumbline: ' "$2") == 1 ]] || fail "not one line" "$2"
  grep -q 'do not share the folder .*nodeA wrote into it, nodeB has another folder.*-o' "$2" || fail "the nodes are not named" "$2"
}
plumbline=$1 mpiexec=$2
refuse /dev/shm/x.h5 first.log
for host in nodeA nodeB; do
  [[ -z $(on "$host" ls -A /dev/shm) ]] || fail "something was left on $host"
done
on nodeB mkdir /dev/shm/y.journal /dev/shm/only_here
on nodeB touch /dev/shm/y.journal/nodeB
refuse /dev/shm/y.h5 second.log
[[ $(on nodeB ls -A /dev/shm/y.journal) == nodeB ]] || fail "the other journal was changed"
on nodeA mkdir /dev/shm/here
refuse /dev/shm/here/z.h5 third.log
