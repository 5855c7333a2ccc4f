#!/usr/bin/env bash
# profile_two_hosts.sh PLUMBLINE MPIEXEC MPICC: a program of four ranks on two hosts is counted whole, started by hydra and by srun, and is timed and
# counted where plumbline starts srun: one table, all ranks, both hosts, and the folder where they met is gone. Runs on the login node of
# with_cluster.sh --slurm.
set -euo pipefail
plumbline=$1 mpiexec=$2 mpicc=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cluster/submit.sh
source "$here/submit.sh"
mkdir -p "$PLUMBLINE_CLUSTER/run" && cd "$PLUMBLINE_CLUSTER/run"
"$mpicc" -O1 -rdynamic -I "$here/../../harness/marker" "$here/../profile/ranks.c" "$here/no_ucx_disconnect.c" -o ranks

# held NAME WORD: what stands in NAME.json and NAME.log, whose table begins with WORD.
held() {
  [[ $(grep -c "^$2: " "$1.log") == 1 ]] || fail "$1: not one table" "$1.log"
  [[ $(grep -c '^4 ranks$' "$1.log") == 1 ]] || fail "$1: the program's own line is missing" "$1.log"
  /usr/bin/python3 - "$1.json" <<'PYTHON' || fail "$1: not what four ranks count" "$1.log"
import json, sys
rows = json.load(open(sys.argv[1]))["rows"]
(work,) = [row for row in rows if row["kind"] == "region"]
ranks = [(row["rank"], row["host"]) for row in rows if row["kind"] == "rank"]
assert (work["flops"], work["ranks"]) == (1000, 4), work
assert [rank for rank, _ in ranks] == [0, 1, 2, 3] and {host for _, host in ranks} == {"nodeA", "nodeB"}, ranks
PYTHON
  if compgen -G 'plumbline-profile-*' >/dev/null || compgen -G '.plumbline-profile-*' >/dev/null; then
    fail "$1: the folder where ranks met is still there" "$1.log"
  fi
}

on_all_hosts 60 "$mpiexec" 2 "$plumbline" profile --count-only -o hydra.json -- ./ranks >hydra.log 2>&1 || fail "hydra: exit $?" hydra.log
held hydra Counted
timeout -k 3 60 srun --mpi=pmi2 --nodes=2 --ntasks=4 --ntasks-per-node=2 "$plumbline" profile --count-only -o srun.json -- ./ranks >srun.log 2>&1 ||
  fail "srun: exit $?" srun.log
held srun Counted
timeout -k 3 120 "$plumbline" profile --roofs=no -o placed.json -- srun --mpi=pmi2 --nodes=2 --ntasks=4 --ntasks-per-node=2 ./ranks >placed.log 2>&1 ||
  fail "srun under plumbline: exit $?" placed.log
held placed Profiled
for words in '4 ranks on 2 nodes' 'note: the ranks ran on 2 nodes'; do
  grep -q "$words" placed.log || fail "placed: '$words' is missing" placed.log
done
