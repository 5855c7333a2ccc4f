// NVIDIA's driver (libcuda) is opened at run time: whether there is a GPU, and the context that the calling thread works in.
#pragma once
#include <string>

#include "core/status.hpp"

namespace plumbline {

/// The CUDA that the driver here is for, by cuDriverGetVersion: 13000 for 13.0; 0 where there is no driver. It starts nothing. Where a
/// package of NVIDIA's (cuda-compat) stands in front of the driver's library, it is that one's.
int cuda_of_driver(const std::string& library = "libcuda.so.1");

/// A GPU as the driver names it: its model's, and the one that no other has ("GPU-1f0c..."). Empty: the driver does not say.
struct VisibleGpu {
  int ordinal = 0;  // among those that CUDA shows to the process
  std::string name = {}, uuid = {};
};

/// The driver as this process has it open.
class CudaDriver {
 public:
  /// Opens and starts the driver at once, which takes some 0.3 s where there is a GPU; it is never closed.
  explicit CudaDriver(const std::string& library = "libcuda.so.1");

  /// Says why no GPU can be had through the driver.
  const Availability& availability() const { return availability_; }
  /// The driver's version: "driver for CUDA 13.0".
  std::string version() const;
  /// The context of the calling thread; null where it has none.
  void* context() const;
  /// The number of that context's GPU among those that CUDA shows; where there is none, of the first.
  int ordinal() const;
  /// The compute capability of that GPU: 90 for 9.0; 0 where the driver does not say.
  int compute_capability() const;
  /// The names of the GPU with that number.
  VisibleGpu identity(int ordinal) const;
  /// Waits until all work in the context is done. Gives what went wrong with it, else empty.
  std::string wait() const;

  /// Makes the GPU's own context current to the calling thread while it lives, for those who only want to try.
  class Trial {
   public:
    explicit Trial(const CudaDriver& driver);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    /// Says why there is no context.
    const Availability& availability() const { return availability_; }

   private:
    const CudaDriver& driver_;
    int ordinal_ = -1;  // of the GPU whose context is held
    Availability availability_;
  };

 private:
  template <class... Arguments>
  int invoke(const char* function, Arguments... arguments) const;
  std::string words(const char* function, int result) const;

  void* library_ = nullptr;
  Availability availability_;
};

}  // namespace plumbline
