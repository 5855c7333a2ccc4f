// NVIDIA's driver (libcuda), opened at run time: whether there is a GPU, and the context that the calling thread works in.
#pragma once
#include <string>

#include "core/status.hpp"

namespace plumbline {

class CudaDriver {
 public:
  /// Opened and started at once, which takes some 0.3 s where there is a GPU, and never closed.
  explicit CudaDriver(const std::string& library = "libcuda.so.1");

  /// Why no GPU can be had through it.
  const Availability& availability() const { return availability_; }
  /// "driver for CUDA 13.0"
  std::string version() const;
  /// Of the calling thread; null where it has none.
  void* context() const;
  /// Of the GPU of that context among those that CUDA shows; where there is none, of the first.
  int ordinal() const;
  /// Of that GPU: 90 for 9.0; 0 where the driver does not say.
  int compute_capability() const;
  /// Until all work in the context is done. What went wrong with it, else empty.
  std::string wait() const;

  /// Makes the GPU's own context current to the calling thread while it lives, for those who only want to try.
  class Trial {
   public:
    explicit Trial(const CudaDriver& driver);
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    ~Trial();

    /// Why there is no context.
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
