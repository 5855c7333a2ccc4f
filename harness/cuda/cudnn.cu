#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "core/unavailable.hpp"
#include "cuda/cudnn.cuh"
#include "cuda/fastest.hpp"
#include "cuda/gpu_library.hpp"
#include "cuda/queued_seconds.cuh"
#include "cuda/runtime.cuh"

namespace plumbline {
namespace {

// What is called of the C interface, which versions 8 and 9 share (NVIDIA, cuDNN API, cudnn_ops and cudnn_cnn): every object is a pointer,
// every enumeration an int.
constexpr int success = 0, nhwc = 1, fp32 = 0, cross_correlation = 1, fma_math = 3;
constexpr std::array implicit_gemms{0, 1};  // with indices computed at once, or before
using Object = void*;
using Create = int (*)(Object*);
using Destroy = int (*)(Object);
using SetStream = int (*)(Object, cudaStream_t);
using SetTensor = int (*)(Object, int format, int type, int n, int c, int h, int w);
using SetFilter = int (*)(Object, int type, int format, int k, int c, int h, int w);
using SetConvolution = int (*)(Object, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w, int mode, int type);
using SetMath = int (*)(Object, int math);
using OutputSize = int (*)(Object convolution, Object x, Object w, int* n, int* c, int* h, int* width);
using WorkspaceSize = int (*)(Object handle, Object x, Object w, Object convolution, Object y, int way, std::size_t* bytes);
using Forward = int (*)(Object handle, const void* alpha, Object x, const void* images, Object w, const void* filters, Object convolution,
                        int way, void* workspace, std::size_t bytes, const void* beta, Object y, void* outputs);

const GpuLibrary& cudnn() {
  static const GpuLibrary library =
      open_gpu_library({"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}, "cuDNN", "PyPI: nvidia-cudnn-cu13, or -cu12");
  return library;
}

template <class Function>
Function function(const char* name) {
  return reinterpret_cast<Function>(cudnn().function(name));
}

/// Throws Error (io) with the call and the library's words where a call failed; UnavailableHere where the library has no such thing for
/// this GPU.
void require_success(int result, const char* call) {
  if (result == success) return;
  const std::string what =
      std::string(call) + " failed: " + function<const char* (*)(int)>("cudnnGetErrorString")(result) + " (" + cudnn().file + ")";
  constexpr int arch_mismatch_of_8 = 6, not_supported_of_8 = 9, not_supported = 3000;  // in thousands with version 9
  if (result == arch_mismatch_of_8 || result == not_supported_of_8 || result / 1000 * 1000 == not_supported) throw UnavailableHere(what);
  throw io_error(what);
}

/// Calls a function by name, whose result is held against success.
template <class Function, class... Given>
void call(const char* name, Given... given) {
  require_success(function<Function>(name)(given...), name);
}

/// An object of the library, made by a function and destroyed by another.
class Owned {
 public:
  Owned(const char* create, const char* destroy) : destroy_(function<Destroy>(destroy)) { call<Create>(create, &object_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() { destroy_(object_); }
  Object get() const { return object_; }

 private:
  Object object_ = nullptr;
  Destroy destroy_;
};

/// The convolution as the library is told of it, which needs no GPU.
struct Described {
  Owned images{"cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor"};
  Owned outputs{"cudnnCreateTensorDescriptor", "cudnnDestroyTensorDescriptor"};
  Owned filters{"cudnnCreateFilterDescriptor", "cudnnDestroyFilterDescriptor"};
  Owned convolution{"cudnnCreateConvolutionDescriptor", "cudnnDestroyConvolutionDescriptor"};

  explicit Described(const CudnnShape& s) {
    const auto number = [](std::uint64_t value) { return static_cast<int>(value); };
    const int channels = number(s.channels), width = number(s.width), side = number(s.side), of_filter = number(s.kernel),
              step = number(s.stride);
    call<SetTensor>("cudnnSetTensor4dDescriptor", images.get(), nhwc, fp32, number(s.images), channels, width, width);
    call<SetTensor>("cudnnSetTensor4dDescriptor", outputs.get(), nhwc, fp32, number(s.images), number(s.filters), side, side);
    call<SetFilter>("cudnnSetFilter4dDescriptor", filters.get(), fp32, nhwc, number(s.filters), channels, of_filter, of_filter);
    call<SetConvolution>("cudnnSetConvolution2dDescriptor", convolution.get(), 0, 0, step, step, 1, 1, cross_correlation, fp32);
    call<SetMath>("cudnnSetConvolutionMathType", convolution.get(), fma_math);
    std::array<int, 4> told{};
    call<OutputSize>("cudnnGetConvolution2dForwardOutputDim", convolution.get(), images.get(), filters.get(), &told[0], &told[1], &told[2],
                     &told[3]);
    if (told != std::array{number(s.images), number(s.filters), side, side})
      throw io_error("cuDNN makes outputs of " + std::to_string(told[0]) + " x " + std::to_string(told[1]) + " x " +
                     std::to_string(told[2]) + " x " + std::to_string(told[3]) + " of this convolution");
  }
};

}  // namespace

const std::string& cudnn_absent() { return cudnn().absent; }

void describe_to_cudnn(const CudnnShape& shape) { static_cast<void>(Described(shape)); }

struct CudnnConvolution::Parts {
  Parts(const CudnnShape& of, DeviceMemory& memory) : shape(of), described(of), workspace(cudnn_workspace_bytes, memory) {
    call<SetStream>("cudnnSetStream", context.get(), cuda::stream());
    for (const int candidate : implicit_gemms) {
      std::size_t bytes = 0;
      const int result = function<WorkspaceSize>("cudnnGetConvolutionForwardWorkspaceSize")(
          context.get(), described.images.get(), described.filters.get(), described.convolution.get(), described.outputs.get(), candidate,
          &bytes);
      if (result == success && bytes <= workspace.size()) ways.push_back(candidate);
      if (result != success && candidate == implicit_gemms.back() && ways.empty())
        require_success(result, "cudnnGetConvolutionForwardWorkspaceSize");
    }
    if (ways.empty()) throw UnavailableHere("cuDNN's implicit products take more than 32 MiB of their own for this convolution");
    way = ways.front();
  }
  int convolve(int by, const Arrays& arrays) const {
    constexpr float one = 1, zero = 0;
    return forward(context.get(), &one, described.images.get(), arrays.images, described.filters.get(), arrays.filters,
                   described.convolution.get(), by, workspace.data(), workspace.size(), &zero, described.outputs.get(), arrays.outputs);
  }

  CudnnShape shape;
  Described described;
  DeviceArray<unsigned char> workspace;
  Owned context{"cudnnCreate", "cudnnDestroy"};
  Forward forward = function<Forward>("cudnnConvolutionForward");
  std::vector<int> ways = {};
  int way = 0;
};

CudnnConvolution::CudnnConvolution(const CudnnShape& shape, DeviceMemory& memory) : parts_(std::make_unique<Parts>(shape, memory)) {}
CudnnConvolution::~CudnnConvolution() = default;

void CudnnConvolution::queue(const Arrays& arrays) const {
  require_success(parts_->convolve(parts_->way, arrays), "cudnnConvolutionForward");
}

void CudnnConvolution::keep_fastest(const Arrays& arrays) {
  using Which = std::tuple<int, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;
  static std::map<Which, int> known;  // data are made anew in each round
  Parts& p = *parts_;
  int device = 0;
  PLUMBLINE_CUDA(cudaGetDevice(&device));
  const CudnnShape& s = p.shape;
  const auto [found, is_new] = known.try_emplace({device, s.images, s.width, s.channels, s.filters, s.kernel, s.stride}, p.way);
  if (is_new) {
    const auto seconds_of = [&](std::size_t i) { return cuda::queued_seconds([&] { return p.convolve(p.ways[i], arrays) == success; }); };
    if (const auto best = fastest(p.ways.size(), seconds_of)) found->second = p.ways[*best];
  }
  p.way = found->second;
}

}  // namespace plumbline
