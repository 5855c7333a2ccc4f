// Launches of a sweep that do not follow one another in the one stream: as a graph that is launched at once, or side by side.
#pragma once
#include <span>

#include "cuda/launches.cuh"
#include "cuda/runtime.cuh"

namespace plumbline::cuda {

/// A graph of launches, made when it is first launched. What the driver refuses, the next wait() tells.
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
  template <class Queue>
  void make(std::span<const void* const> kernels, Queue queue) {
    cudaFuncAttributes attributes;
    for (const void* const kernel : kernels)
      cudaFuncGetAttributes(&attributes, kernel);  // loads it: code is loaded at its first use, which a capture may not be
    cudaGraph_t nodes = nullptr;
    cudaStreamBeginCapture(stream(), cudaStreamCaptureModeThreadLocal);
    launches_are_captured(true);
    queue();
    launches_are_captured(false);
    cudaStreamEndCapture(stream(), &nodes);
    cudaGraphInstantiate(&runs_, nodes, 0);
    cudaGraphDestroy(nodes);
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
