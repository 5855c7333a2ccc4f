// A graph that cannot be made tells why: the first call that was refused, not those that fail because it was. The runtime's functions are
// made up here, so that each can be refused in turn.
#include "cuda/graph.cuh"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/error.hpp"

namespace plumbline::cuda {
namespace {

/// The made-up runtime: what it refuses, and what was called.
struct Runtime {
  std::string refuses;             // the call that fails with invalid configuration; "launch": one that is captured
  cudaError_t last = cudaSuccess;  // as cudaGetLastError() has it: each error takes the place of the one before
  cudaError_t refused_launch = cudaSuccess;
  bool is_capturing = false, is_invalid = false, are_made = true;
  std::vector<std::string> calls = {};

  cudaError_t call(const std::string& name, cudaError_t error = cudaErrorInvalidConfiguration) {
    calls.push_back(name);
    return name == refuses ? last = error : cudaSuccess;
  }
  /// Launches while a capture goes on; behind a refused one each is refused, too.
  void launch() {
    cudaError_t result = is_invalid ? last = cudaErrorStreamCaptureInvalidated : call("launch");
    is_invalid = is_invalid || result != cudaSuccess;
    if (refused_launch == cudaSuccess) refused_launch = result;
  }
} runtime;

}  // namespace

cudaStream_t stream() { return nullptr; }
void require_success(cudaError_t result, const char* call, const char*, int) {
  if (result != cudaSuccess) throw io_error(std::string(call) + " failed: " + std::to_string(result));
}
bool launches_are_made() { return runtime.are_made; }
void begin_captured_launches() { runtime.refused_launch = cudaSuccess; }
cudaError_t end_captured_launches() { return runtime.refused_launch; }

}  // namespace plumbline::cuda

using plumbline::cuda::runtime;

extern "C" {
cudaError_t cudaGetLastError() { return std::exchange(runtime.last, cudaSuccess); }
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return runtime.call("cudaFuncGetAttributes"); }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) {
  const cudaError_t result = runtime.call("cudaStreamBeginCapture");
  runtime.is_capturing = result == cudaSuccess;
  return result;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* nodes) {
  runtime.is_capturing = false;
  const bool was_invalid = std::exchange(runtime.is_invalid, false);
  *nodes = was_invalid ? nullptr : reinterpret_cast<cudaGraph_t>(&runtime);
  return was_invalid ? runtime.last = cudaErrorStreamCaptureInvalidated : runtime.call("cudaStreamEndCapture");
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runs, cudaGraph_t nodes, unsigned long long) {
  const cudaError_t result = nodes == nullptr ? runtime.last = cudaErrorInvalidValue : runtime.call("cudaGraphInstantiate");
  if (result == cudaSuccess) *runs = reinterpret_cast<cudaGraphExec_t>(&runtime);
  return result;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) { return runtime.call("cudaGraphDestroy"); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return runtime.call("cudaGraphExecDestroy"); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t runs, cudaStream_t) {
  return runs == nullptr ? runtime.last = cudaErrorInvalidValue : runtime.call("cudaGraphLaunch");
}
}

namespace plumbline::cuda {
namespace {

const void* const kernels[] = {&runtime};

/// The words with which a graph of three launches is refused; empty where it is launched.
std::string refusal(Graph& graph, const std::string& call) {
  runtime = {.refuses = call};
  try {
    graph.launch(kernels, [] {
      for (int i = 0; i < 3; ++i) runtime.launch();
    });
  } catch (const Error& refused) {
    return refused.what();
  }
  return "";
}

TEST(Graph, a_refused_launch_is_told_as_the_cause_and_not_what_failed_behind_it) {
  Graph graph;
  const std::string words = refusal(graph, "launch");
  EXPECT_NE(words.find("a launch captured in a graph failed: " + std::to_string(cudaErrorInvalidConfiguration)), std::string::npos)
      << words;
  EXPECT_FALSE(runtime.is_capturing) << "a stream that is captured takes no other work";
  EXPECT_EQ(refusal(graph, ""), "") << "the next launch makes it anew";
  EXPECT_EQ(runtime.calls.back(), "cudaGraphLaunch");
}

TEST(Graph, each_refused_call_is_told_by_its_name) {
  for (const std::string call : {"cudaFuncGetAttributes", "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate"}) {
    Graph graph;
    const std::string words = refusal(graph, call);
    EXPECT_NE(words.find(call), std::string::npos) << words;
    EXPECT_NE(words.find("failed: " + std::to_string(cudaErrorInvalidConfiguration)), std::string::npos) << words;
    EXPECT_FALSE(runtime.is_capturing) << call;
  }
}

TEST(Graph, is_made_once) {
  Graph graph;
  EXPECT_EQ(refusal(graph, ""), "");
  EXPECT_EQ(refusal(graph, ""), "");
  EXPECT_EQ(runtime.calls, std::vector<std::string>{"cudaGraphLaunch"});
}

TEST(Graph, is_not_made_where_launches_are_only_written_down) {
  Graph graph;
  runtime = {.refuses = "", .are_made = false};
  graph.launch(kernels, [] { runtime.launch(); });
  EXPECT_TRUE(runtime.calls.empty()) << "there may be no driver; what launches the graph is written down";
}

}  // namespace
}  // namespace plumbline::cuda
