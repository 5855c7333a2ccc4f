#!/usr/bin/env bash
# failed_node.sh PROGRAM MPIEXEC: of three hosts one, not the first, cannot set a case up (corrupting_kernel.cpp, linked into PROGRAM). 'plumbline
# health' across them names it in one line and ends with 1, though what is to be done with a finding takes longer than a rank that failed alone
# waits for the others (60 s).
# Runs on the login node of with_cluster.sh --nodes 3.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
program=$1 mpiexec=$2

mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
: >broken
status=0
on_all_hosts 300 "$mpiexec" 1 "$program" health "$here/corrupt_node.toml" --on-finding 'sleep 70 && : >told' --on-finding-seconds 120 \
  >found.txt 2>health.log || status=$?
((status == 1)) || fail "health ended with $status, not 1" health.log found.txt
[[ $(wc -l <found.txt) == 1 ]] || fail "there is not one line" found.txt
grep -q '^nodeB: could not measure.*faulty/sum' found.txt || fail "the line does not name node and case" found.txt
[[ -e told ]] || fail "what is to be done with a finding was ended" health.log
