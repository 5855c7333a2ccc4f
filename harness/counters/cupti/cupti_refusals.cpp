#include "counters/cupti/cupti_refusals.hpp"

#include <algorithm>
#include <array>

namespace plumbline {
namespace {

constexpr const char* time_alone = "timing works all the same";

// The refusals by number; a test holds the numbers against the library's own names.
constexpr std::array refusals{
    CuptiRefusal{3, Status::unavailable, "no CUDA context is current in this thread",
                 "cases with a GPU team open one; outside a run there is nothing to count"},
    CuptiRefusal{8, Status::failed, "no memory is left for the profiler, on the host or on the GPU", "free some of the GPU's memory"},
    CuptiRefusal{9, Status::failed, "the GPU's counters failed", "look for errors of the GPU (dmesg, nvidia-smi -q)"},
    CuptiRefusal{15, Status::unavailable, "the profiler has not started", time_alone},
    CuptiRefusal{17, Status::unavailable, "the chip has no such metric",
                 "'plumbline list counters --family nvidia-gh100' shows those of a table"},
    CuptiRefusal{26, Status::stolen, "another profiler holds the GPU's counters",
                 "end it, or pause the monitoring that holds them: dcgmi profile --pause (and --resume afterwards)"},
    CuptiRefusal{27, Status::unavailable, "not supported on this GPU or with this driver", time_alone},
    CuptiRefusal{31, Status::unavailable, "not supported under MPS", "end MPS on this node (echo quit | nvidia-cuda-mps-control)"},
    CuptiRefusal{33, Status::unavailable, "a virtual GPU whose hypervisor does not show the counters",
                 "enable profiling for the VM on the host (vGPU parameter enable_profiling=1), or use a GPU that is passed through"},
    CuptiRefusal{35, Status::permission, "this user may not read the GPU's counters",
                 "run as root or with CAP_SYS_ADMIN (recent drivers also take CAP_PERFMON), or have the administrator load the driver with "
                 "NVreg_RestrictProfilingToAdminUsers=0 (options nvidia ... in /etc/modprobe.d); timing works all the same"},
    CuptiRefusal{39, Status::stolen, "another tool in this process has subscribed to CUPTI's callbacks",
                 "run without it (Nsight, a tracing library, CUDA_INJECTION64_PATH)"},
    CuptiRefusal{40, Status::permission, "this user may not read the counters of a virtual GPU",
                 "enable profiling for the VM on the host (vGPU parameter enable_profiling=1), and in the VM run as root or with "
                 "NVreg_RestrictProfilingToAdminUsers=0"},
    CuptiRefusal{41, Status::unavailable, "confidential computing hides the counters", "a node without it"},
    CuptiRefusal{42, Status::unavailable, "a GPU for mining (CMP) has no counters to read", time_alone},
    CuptiRefusal{43, Status::unavailable, "CUPTI does not count in this part of a GPU (MIG)",
                 "count on a whole GPU: nvidia-smi -i N -mig 0, as root, with no process on it"},
    CuptiRefusal{44, Status::unavailable, "GPUs that are linked by SLI have no counters to read", "switch SLI off"},
    CuptiRefusal{45, Status::unavailable, "Windows' Linux (WSL) does not show the counters",
                 "allow access to the performance counters in NVIDIA's control panel, or use Linux itself"},
    CuptiRefusal{46, Status::unavailable, "this CUPTI does not know the chip", "a newer CUDA toolkit, which has a newer CUPTI"},
};

}  // namespace

std::span<const CuptiRefusal> cupti_refusals() { return refusals; }

Availability cupti_refusal(int result, const std::string& call, const std::string& words) {
  const auto known = std::find_if(refusals.begin(), refusals.end(), [&](const CuptiRefusal& one) { return one.result == result; });
  const std::string number = "CUPTI error " + std::to_string(result) + " of " + call;
  if (known == refusals.end()) return {Status::failed, words + " (" + number + ")"};
  return {known->status, std::string(known->what) + " (" + number + "): " + known->next};
}

}  // namespace plumbline
