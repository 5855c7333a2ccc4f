// Calls of CUDA's driver and runtime that launch kernels, and those around which a launch is no launch, as CUPTI's callbacks tell them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "counters/cupti/cupti_host.hpp"

namespace plumbline {

enum class CallKind {
  kernel,
  graph,           // a whole graph, which launches its kernels by itself
  capture_begins,  // of a stream: what is launched from now on becomes nodes of a graph
  capture_ends,
  context_ends,      // entered alone: it is about to be destroyed
  profiling_begins,  // cudaProfilerStart
  profiling_ends
};

struct CuptiCall {
  CallKind kind = CallKind::kernel;
  bool entered = true;            // else: left
  bool failed = false;            // once left
  bool nested = false;            // in a call of the runtime that was told already
  const char* kernel = "";        // of the kernel's launch: its name as the linker knows it
  void* context = nullptr;        // that is current, or about to be destroyed
  std::uint32_t correlation = 0;  // the number that the records of what it launches bear
};

enum class CallsOf {
  both,    // launches by the runtime or by the driver, whichever is called first, and nothing else
  driver,  // launches and all other kinds by the driver: there a context is current
  all      // nested ones too: a record may bear the number of either
};

class CuptiCalls {
 public:
  /// Subscribes; throws CuptiError where another tool has. Nothing is heard until listen(). `heard` is called by the thread that makes the
  /// call, for the outermost of nested ones (CallsOf::all: for each), and must not throw.
  CuptiCalls(const CuptiLibrary& cupti, CallsOf calls_of, std::function<void(const CuptiCall&)> heard);
  CuptiCalls(const CuptiCalls&) = delete;
  CuptiCalls& operator=(const CuptiCalls&) = delete;
  ~CuptiCalls();

  void listen(bool on);

 private:
  class Subscriber;
  std::unique_ptr<Subscriber> subscriber_;
};

}  // namespace plumbline
