// A way around a deadlock of MPICH's MPI_Finalize between hosts.
#pragma once
#include <string_view>

namespace plumbline {

/// Whether this MPICH waits in a blocking PMI barrier while peers still need its progress to disconnect (pmodels/mpich pull request
/// 6596, July 2023: "ch4/ucx: remove MPIR_pmi_barrier in finalize"; Debian 12's 4.0.2 hangs in a third of all runs over TCP).
bool finalize_may_deadlock(std::string_view library_version);

/// From here on MPICH's UCX endpoints are not disconnected one by one; destroying the worker closes them. Right only when all ranks
/// have met after their last message: nothing is then in flight that a flush would have to wait for.
void leave_out_ucx_disconnect();

}  // namespace plumbline
