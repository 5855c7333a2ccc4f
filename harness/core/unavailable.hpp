// A machine lacks what a case needs: a workload says so, or a driver that refuses a GPU.
#pragma once
#include <string>

#include "core/error.hpp"

namespace plumbline {

/// An error that a kernel's data throw while they are made or swept: the case's status is then `unavailable`, not `failed`. A resumed run
/// tries a case again, a ceiling not.
class UnavailableHere : public Error {
 public:
  explicit UnavailableHere(const std::string& reason) : Error(Exit::io_or_failed_case, reason) {}
};

/// The number under which a driver refuses a GPU that others hold, which CUDA's driver (CUDA_ERROR_DEVICE_UNAVAILABLE) and its runtime
/// (cudaErrorDevicesUnavailable) share (CUDA driver API, CUresult; CUDA C++ programming guide, Compute Modes).
inline constexpr int gpu_is_held = 46;

/// The reason behind a refusal and what to try, to be put after CUDA's own words; empty where nothing more is known.
constexpr const char* advice_on_gpu_refusal(int error) {
  if (error != gpu_is_held) return "";
  return ": another process holds this GPU alone (exclusive mode), or its compute mode allows none; nvidia-smi lists processes, and "
         "nvidia-smi -q -d COMPUTE the mode: end that process, or have root say nvidia-smi -c DEFAULT";
}

}  // namespace plumbline
