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
constexpr int success = 0, nhwc = 1, cross_correlation = 1;
using Object = void*;
using Create = int (*)(Object*);
using Destroy = int (*)(Object);
using SetStream = int (*)(Object, cudaStream_t);
using SetTensor = int (*)(Object, int format, int type, int n, int c, int h, int w);
using SetFilter = int (*)(Object, int type, int format, int k, int c, int h, int w);
using SetConvolution = int (*)(Object, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w, int mode, int type);
using SetMath = int (*)(Object, int math);
using OutputSize = int (*)(Object convolution, Object x, Object w, int* n, int* c, int* h, int* width);
using WorkspaceSize = int (*)(Object handle, Object first, Object second, Object convolution, Object result, int way, std::size_t* bytes);
using Convolve = int (*)(Object handle, const void* alpha, Object first, const void* x, Object second, const void* y, Object convolution,
                         int way, void* workspace, std::size_t bytes, const void* beta, Object result, void* z);

/// The numbers of a convolution (cudnnDataType_t), and how they are multiplied (cudnnMathType_t).
struct Numbers {
  int type, math;
};
constexpr int fp32 = 0, fp16 = 2, bf16 = 9, tensor_cores = 1, fma_instructions = 3;
Numbers numbers_of(std::string_view precision) {
  if (precision == "fp16") return {fp16, tensor_cores};
  if (precision == "bf16") return {bf16, tensor_cores};
  return {fp32, fma_instructions};
}

/// The functions of a direction, and its products of matrices that lie nowhere whole: none of Winograd's or Fourier's, which would do less,
/// and none that adds up with atomics, whose sums differ each time (NVIDIA, cuDNN API, cudnnConvolution*Algo_t). Those that tensor cores do
/// are the last.
struct Calls {
  const char *convolve, *workspace_size;
  std::vector<int> ways;
};
const Calls& calls_of(CudnnDirection direction) {
  static const Calls forward{"cudnnConvolutionForward", "cudnnGetConvolutionForwardWorkspaceSize", {0, 1}},
      backward_data{"cudnnConvolutionBackwardData", "cudnnGetConvolutionBackwardDataWorkspaceSize", {1}},
      backward_weights{"cudnnConvolutionBackwardFilter", "cudnnGetConvolutionBackwardFilterWorkspaceSize", {1}};
  return direction == CudnnDirection::forward ? forward : direction == CudnnDirection::backward_data ? backward_data : backward_weights;
}

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
    const auto [type, math] = numbers_of(s.precision);
    call<SetTensor>("cudnnSetTensor4dDescriptor", images.get(), nhwc, type, number(s.images), channels, width, width);
    call<SetTensor>("cudnnSetTensor4dDescriptor", outputs.get(), nhwc, type, number(s.images), number(s.filters), side, side);
    call<SetFilter>("cudnnSetFilter4dDescriptor", filters.get(), type, nhwc, number(s.filters), channels, of_filter, of_filter);
    call<SetConvolution>("cudnnSetConvolution2dDescriptor", convolution.get(), 0, 0, step, step, 1, 1, cross_correlation, fp32);
    call<SetMath>("cudnnSetConvolutionMathType", convolution.get(), math);
    std::array<int, 4> told{};
    call<OutputSize>("cudnnGetConvolution2dForwardOutputDim", convolution.get(), images.get(), filters.get(), &told[0], &told[1], &told[2],
                     &told[3]);
    if (told != std::array{number(s.images), number(s.filters), side, side})
      throw io_error("cuDNN makes outputs of " + std::to_string(told[0]) + " x " + std::to_string(told[1]) + " x " +
                     std::to_string(told[2]) + " x " + std::to_string(told[3]) + " of this convolution");
  }
  /// Tells what is read first, what then, and what is the result.
  std::array<Object, 3> in_order(CudnnDirection direction) const {
    if (direction == CudnnDirection::forward) return {images.get(), filters.get(), outputs.get()};
    if (direction == CudnnDirection::backward_data) return {filters.get(), outputs.get(), images.get()};
    return {images.get(), outputs.get(), filters.get()};
  }
};

}  // namespace

const std::string& cudnn_absent() { return cudnn().absent; }

void describe_to_cudnn(const CudnnShape& shape) { static_cast<void>(Described(shape)); }

struct CudnnConvolution::Parts {
  Parts(const CudnnShape& of, DeviceMemory& memory)
      : shape(of), described(of), arrays(described.in_order(of.direction)), workspace(cudnn_workspace_bytes, memory) {
    call<SetStream>("cudnnSetStream", context.get(), cuda::stream());
    const bool is_by_tensor_cores = numbers_of(of.precision).math == tensor_cores;
    int result = success;
    for (const int candidate : calls.ways) {
      if (is_by_tensor_cores && candidate != calls.ways.back()) continue;
      std::size_t bytes = 0;
      result = function<WorkspaceSize>(calls.workspace_size)(context.get(), arrays[0], arrays[1], described.convolution.get(), arrays[2],
                                                             candidate, &bytes);
      if (result == success && bytes <= workspace.size()) ways.push_back(candidate);
    }
    if (!ways.empty()) return;
    require_success(result, calls.workspace_size);
    throw UnavailableHere("cuDNN's implicit products take more than 32 MiB of their own for this convolution");
  }
  int convolve(int by, const Arrays& x) const {
    constexpr float one = 1, zero = 0;
    return function_of_direction(context.get(), &one, arrays[0], x.first, arrays[1], x.second, described.convolution.get(), by,
                                 workspace.data(), workspace.size(), &zero, arrays[2], x.result);
  }

  CudnnShape shape;
  Described described;
  std::array<Object, 3> arrays;
  DeviceArray<unsigned char> workspace;
  Owned context{"cudnnCreate", "cudnnDestroy"};
  const Calls& calls = calls_of(shape.direction);
  Convolve function_of_direction = function<Convolve>(calls.convolve);
  std::vector<int> ways = {};
  int way = 0;
};

CudnnConvolution::CudnnConvolution(const CudnnShape& shape, DeviceMemory& memory) : parts_(std::make_unique<Parts>(shape, memory)) {}
CudnnConvolution::~CudnnConvolution() = default;

void CudnnConvolution::queue(const Arrays& arrays) const { require_success(parts_->convolve(parts_->way, arrays), parts_->calls.convolve); }

void CudnnConvolution::keep_fastest(const Arrays& arrays) {
  using Size = std::uint64_t;
  using Which = std::tuple<int, CudnnDirection, std::string_view, Size, Size, Size, Size, Size, Size>;
  static std::map<Which, int> known;  // data are made anew in each round
  Parts& p = *parts_;
  int device = 0;
  PLUMBLINE_CUDA(cudaGetDevice(&device));
  const CudnnShape& s = p.shape;
  const auto [found, is_new] =
      known.try_emplace({device, s.direction, s.precision, s.images, s.width, s.channels, s.filters, s.kernel, s.stride}, p.way);
  if (is_new) {
    const auto seconds_of = [&](std::size_t i) { return cuda::queued_seconds([&] { return p.convolve(p.ways[i], arrays) == success; }); };
    if (const auto best = fastest(p.ways.size(), seconds_of)) found->second = p.ways[*best];
  }
  p.way = found->second;
}

}  // namespace plumbline
