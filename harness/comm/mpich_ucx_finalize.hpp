// MPICH's MPI_Finalize can deadlock between hosts; this is a way around it.
#pragma once
#include <string_view>

namespace plumbline {

/// Whether this MPICH waits in a blocking PMI barrier while peers still need its progress to disconnect (pmodels/mpich pull request
/// 6596, July 2023: "ch4/ucx: remove MPIR_pmi_barrier in finalize"; Debian 12's 4.0.2 hangs in a third of all runs over TCP).
bool finalize_may_deadlock(std::string_view library_version);

/// Makes MPICH not disconnect its UCX endpoints one by one from here on; destroying the worker closes them. It is right only when all ranks
/// have met after their last message: nothing is then in flight that a flush would have to wait for.
void leave_out_ucx_disconnect();

}  // namespace plumbline
