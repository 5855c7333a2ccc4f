// cuDNN is opened at run time: convolutions and their gradients by it, or why there are none. No header of it is needed to compile.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/device_memory.hpp"

namespace plumbline {

inline constexpr std::string_view cudnn_flavor = "lib-cudnn";

/// The reason why there is no cuDNN, in a line; empty where there is one. The library is opened at first use, by the loader's path. That
/// takes neither a driver nor a GPU.
const std::string& cudnn_absent();

enum class CudnnDirection { forward, backward_data, backward_weights };

/// A convolution without padding: images of width x width x channels, filters of kernel x kernel x channels, at each of which the channels
/// are innermost; and outputs of side x side x filters. Numbers of "fp32" are multiplied by FMAs; those of "fp16" and "bf16" by tensor
/// cores, which add up in fp32, and results are rounded to them.
struct CudnnShape {
  CudnnDirection direction;
  std::string_view precision;
  std::uint64_t images, width, channels, filters, kernel, stride, side;
};

/// The most that it takes of the device's memory for itself, bytes.
inline constexpr std::uint64_t cudnn_workspace_bytes = std::uint64_t{32} << 20;

/// Describes the convolution to cuDNN, which needs no GPU. Throws Error (io) where it makes another size of the outputs, or refuses it.
void describe_to_cudnn(const CudnnShape& shape);

/// A convolution, or a gradient of one, by products of matrices. It runs on the GPU that is open.
class CudnnConvolution {
 public:
  /// Two of images, filters and outputs are read, in this order; the third is the result.
  struct Arrays {
    const void *first, *second;
    void* result;
  };
  /// Prepares a convolution. Throws UnavailableHere where the library has none for this GPU; Error (io) where a call fails.
  CudnnConvolution(const CudnnShape& shape, DeviceMemory& memory);
  ~CudnnConvolution();
  CudnnConvolution(const CudnnConvolution&) = delete;
  CudnnConvolution& operator=(const CudnnConvolution&) = delete;

  /// Queues the convolution of these arrays. Throws UnavailableHere, or Error (io), where the library refuses it.
  void queue(const Arrays& arrays) const;
  /// Takes from now on the fastest of the ways that the library has for it, timed with these arrays; at first it is the first of them.
  /// Writes the result.
  void keep_fastest(const Arrays& arrays);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace plumbline
