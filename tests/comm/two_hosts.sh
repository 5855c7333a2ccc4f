#!/usr/bin/env bash
# two_hosts.sh MPIEXEC PROGRAM: inside with_cluster.sh. Ranks on two hosts agree in everything that comm_test asks, and always come to an
# end: MPICH 4.0's MPI_Finalize hung in a third of such runs (comm/mpich_ucx_finalize.hpp).
set -euo pipefail
mpiexec=$1
program=$2
for ((run = 1; run <= 10; ++run)); do
  timeout -k 3 30 "$mpiexec" -launcher ssh -launcher-exec "$PLUMBLINE_CLUSTER_LAUNCHER" -iface bridge0 -hosts "$PLUMBLINE_CLUSTER_NODES" \
    -n 4 "$program" >"$PLUMBLINE_CLUSTER/log/comm.$run" || { echo "run $run ended with $?" && exit 1; }
done
tail -n 1 "$PLUMBLINE_CLUSTER/log/comm.10"
