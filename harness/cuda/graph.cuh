// Launches of a sweep that do not follow one another in the one stream: as a graph that is launched at once, or side by side.
#pragma once
#include <span>

#include "cuda/launches.cuh"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

/// A graph of launches, made when it is first launched. Throws Error (io) with the first call that the driver refuses while it is made;
/// the next launch tries again.
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (runs_ != nullptr) cudaGraphExecDestroy(runs_);
  }

  /// Launches what queue() queues in the stream, launches of these kernels: the same each time.
  template <class Queue>
  void launch(std::span<const void* const> kernels, Queue queue) {
    if (runs_ == nullptr) make(kernels, queue);
    cudaGraphLaunch(runs_, stream());
  }

 private:
  /// A capture ends in any case: a stream that is captured takes no other work.
  class Capture {
   public:
    Capture() {
      PLUMBLINE_CUDA(cudaGetLastError());  // of the work before
      PLUMBLINE_CUDA(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal));
      begin_captured_launches();
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;
    ~Capture() {
      if (open_) end();
      if (nodes_ != nullptr) cudaGraphDestroy(nodes_);
    }
    /// The launches that were captured. Throws Error (io) with its first cause where that is nothing: the end of a capture says only that
    /// it is invalid.
    cudaGraph_t nodes() {
      const cudaError_t queued = cudaGetLastError(), ended = end();
      require_success(refused_, "a launch captured in a graph", __FILE__, __LINE__);
      require_success(queued, "what was captured in a graph", __FILE__, __LINE__);
      require_success(ended, "cudaStreamEndCapture", __FILE__, __LINE__);
      return nodes_;
    }

   private:
    cudaError_t end() {
      open_ = false;
      refused_ = end_captured_launches();
      return cudaStreamEndCapture(stream(), &nodes_);
    }
    cudaError_t refused_ = cudaSuccess;
    cudaGraph_t nodes_ = nullptr;
    bool open_ = true;
  };

  template <class Queue>
  void make(std::span<const void* const> kernels, Queue queue) {
    if (!launches_are_made()) return;  // there may be no driver to make it
    cudaFuncAttributes attributes;
    for (const void* const kernel : kernels)
      PLUMBLINE_CUDA(cudaFuncGetAttributes(&attributes, kernel));  // loads it: code is loaded at its first use, which a capture may not be
    Capture capture;
    queue();
    PLUMBLINE_CUDA(cudaGraphInstantiate(&runs_, capture.nodes(), 0));
  }

  cudaGraphExec_t runs_ = nullptr;
};

/// A stream beside the one that sweeps are queued in, made when it is first used.
class SideStream {
 public:
  SideStream() = default;
  SideStream(const SideStream&) = delete;
  SideStream& operator=(const SideStream&) = delete;
  ~SideStream() {
    if (stream_ == nullptr) return;
    cudaEventDestroy(begun_);
    cudaEventDestroy(done_);
    cudaStreamDestroy(stream_);
  }

  /// Queues what here(stream) and beside(stream) queue side by side: both behind all work before, and all later work behind both.
  template <class Here, class Beside>
  void run(Here here, Beside beside) {
    if (stream_ == nullptr) make();
    cudaEventRecord(begun_, stream());
    cudaStreamWaitEvent(stream_, begun_, 0);
    beside(stream_);
    cudaEventRecord(done_, stream_);
    here(stream());
    cudaStreamWaitEvent(stream(), done_, 0);
  }

 private:
  void make() {
    cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&begun_, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&done_, cudaEventDisableTiming);
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begun_ = nullptr, done_ = nullptr;
};

}  // namespace plumbline::cuda
