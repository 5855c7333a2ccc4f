// oneDNN is opened at run time: its convolution, forward and backward, or why it cannot be had.
#pragma once
#include <compare>
#include <cstdint>
#include <string>

namespace plumbline {

/// The shape names a convolution of fp32 without padding; the kernel fits in the image, and the stride is at most the kernel
/// (2.6 and 3.2 write beyond their memory where points are left out between). In memory an
/// image is images x height x width x channels (NHWC), the weights are kernel x kernel x channels x filters (HWIO), and the output is
/// images x out_height() x out_width() x filters (NHWC).
struct ConvolutionShape {
  std::uint64_t images, height, width, channels, filters, kernel, stride;

  std::uint64_t out_height() const { return (height - kernel) / stride + 1; }
  std::uint64_t out_width() const { return (width - kernel) / stride + 1; }
  auto operator<=>(const ConvolutionShape&) const = default;
};

/// The functions run in the calling thread alone, and any number of threads may call them at once. The first call of a thread with a shape
/// prepares it (code is generated, copies are allocated); later ones find that again, until the thread has used `kept` others. They throw
/// std::runtime_error where oneDNN refuses, and where there is none.
struct OneDnn {
  static constexpr int kept = 24;

  std::string absent;   // why there is none; empty when there is
  std::string version;  // such as 2.6.3

  void forward(const ConvolutionShape& shape, const float* image, const float* weights, float* out) const;
  /// The gradient is written everywhere, as zero where no output depends on the image.
  void backward_data(const ConvolutionShape& shape, const float* out_gradient, const float* weights, float* image_gradient) const;
  /// The gradient is overwritten: what several calls make of parts of the images is for the caller to add up.
  void backward_weights(const ConvolutionShape& shape, const float* image, const float* out_gradient, float* weight_gradient) const;
};

/// The library, opened at first use: with its code for AVX2, whatever the CPU, so that a count under the emulator and a time outside it are
/// of the same kernels; and with one thread, because the team's threads are ours. From 3 on oneDNN also blocks by the size of the caches
/// that the CPU names: the emulator names others, so that loads and stores may differ there.
const OneDnn& onednn();

}  // namespace plumbline
