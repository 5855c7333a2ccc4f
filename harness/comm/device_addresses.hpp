// Some MPI libraries take addresses in a GPU's memory: then messages need not be staged in the host's by hand.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "comm/launch.hpp"

namespace plumbline {

/// Whether the MPI in use takes addresses in the memory of a CUDA device, and in words who says so.
struct DeviceAddresses {
  bool are_taken = false;
  std::string why;
};

/// Looks a function up by name among all that is loaded; null where there is none.
using LoadedFunction = std::function<void*(const char* name)>;

/// The environment variable by which a user has messages staged all the same (`staged`).
inline constexpr const char* gpu_messages_variable = "PLUMBLINE_GPU_MESSAGES";

/// Asks the library's own query (MPIX_GPU_query_support of MPICH, MPIX_Query_cuda_support of Open MPI and MPICH); where it has none, what
/// its makers let the user say in the environment (Cray MPICH, MVAPICH2, Intel MPI). After MPI was initialised.
DeviceAddresses device_addresses(std::string_view library, const Environment& environment, const LoadedFunction& function);
/// The answer for the MPI of this process, asked once.
const DeviceAddresses& device_addresses();

}  // namespace plumbline
