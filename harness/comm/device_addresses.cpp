#include "comm/device_addresses.hpp"

#include <dlfcn.h>

#include <array>

#include "comm/communicator.hpp"

namespace plumbline {
namespace {

/// The libraries without a query of their own: a word of the version, and the setting that their users switch GPUs on by.
struct BySetting {
  std::string_view library;
  const char* variable;
};
constexpr std::array by_setting{BySetting{"CRAY MPICH", "MPICH_GPU_SUPPORT_ENABLED"}, BySetting{"MVAPICH2", "MV2_USE_CUDA"},
                                BySetting{"MVAPICH", "MVP_USE_CUDA"}, BySetting{"Intel(R) MPI", "I_MPI_OFFLOAD"}};

DeviceAddresses answered(bool yes, const std::string& who) { return {yes, who + (yes ? " says yes" : " says no")}; }

}  // namespace

DeviceAddresses device_addresses(std::string_view library, const Environment& environment, const LoadedFunction& function) {
  if (environment(gpu_messages_variable) == "staged") return {false, std::string(gpu_messages_variable) + "=staged"};
  constexpr int mpich_cuda = 0, mpi_success = 0;  // MPIX_GPU_SUPPORT_CUDA, MPI_SUCCESS
  if (void* const query = function("MPIX_GPU_query_support")) {
    int supported = 0;
    if (reinterpret_cast<int (*)(int, int*)>(query)(mpich_cuda, &supported) == mpi_success)
      return answered(supported != 0, "MPIX_GPU_query_support");
  }
  if (void* const query = function("MPIX_Query_cuda_support"))
    return answered(reinterpret_cast<int (*)()>(query)() == 1, "MPIX_Query_cuda_support");
  for (const BySetting& one : by_setting)
    if (library.find(one.library) != library.npos) {
      const std::string set = environment(one.variable).value_or("");
      return {!set.empty() && set != "0", std::string(one.variable) + (set.empty() ? " is not set" : "=" + set)};
    }
  return {false, "this MPI has no function that says"};
}

const DeviceAddresses& device_addresses() {
  static const DeviceAddresses answer = Communicator::has_mpi()
                                            ? device_addresses(Communicator::library_version(), process_environment(),
                                                               [](const char* name) { return dlsym(RTLD_DEFAULT, name); })
                                            : DeviceAddresses{false, "there is no MPI"};
  return answer;
}

}  // namespace plumbline
