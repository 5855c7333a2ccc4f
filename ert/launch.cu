// What it costs to hand a GPU work: kernels of one thread that do nothing but count themselves.
#include <cmath>

#include "core/counted.hpp"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

enum class Way { stream, graph, waited };

constexpr std::size_t graph_nodes = 1000;

/// A chain of so many kernels, made at its first launch.
struct Graph {
  cudaGraphExec_t runs = nullptr;
  ~Graph() {
    if (runs != nullptr) cudaGraphExecDestroy(runs);
  }
};

struct Launch {
  Way way;
  unsigned* count;
  Graph* graph;
};

__global__ void count_launch(unsigned* count) { *count += 1; }

void launch_one(unsigned* count) {
  cuda::next_launch(1);
  count_launch<<<1, 1, 0, cuda::stream()>>>(count);
}

/// The stream's own work, captured: null where the driver refuses it, and the next wait() tells why.
void make(Graph& graph, unsigned* count) {
  cudaFuncAttributes attributes;
  cudaFuncGetAttributes(&attributes, count_launch);  // loads the kernel: code is loaded at its first use, which a capture may not be
  cudaGraph_t nodes = nullptr;
  cudaStreamBeginCapture(cuda::stream(), cudaStreamCaptureModeThreadLocal);
  for (std::size_t i = 0; i < graph_nodes; ++i) launch_one(count);
  cudaStreamEndCapture(cuda::stream(), &nodes);
  cudaGraphInstantiate(&graph.runs, nodes, 0);
  cudaGraphDestroy(nodes);
}

template <class Real>
class LaunchCase final : public Workload {
 public:
  using Arguments = Launch;

  static Work model(const Parameters&, std::string_view) { return {}; }

  LaunchCase(const Parameters& p, DeviceMemory& memory)
      : extent_(p.integer("launches")), count_(1, memory), arguments_{way_of(p), count_.data(), &graph_} {}

  std::size_t extent() const override { return extent_; }
  std::size_t grain() const override { return graph_nodes; }
  void initialise(std::size_t, std::size_t) override {
    count_.fill(0, 1, [](std::size_t) { return 0U; });
  }
  const void* arguments() const override { return &arguments_; }

  /// `waited` waits by its nature: that is what is measured.
  static void launch(const Arguments& x, std::size_t begin, std::size_t end) {
    std::size_t left = end - begin;
    if (x.way == Way::graph) {
      if (x.graph->runs == nullptr && left >= graph_nodes) make(*x.graph, x.count);
      for (; left >= graph_nodes; left -= graph_nodes) cudaGraphLaunch(x.graph->runs, cuda::stream());
    }
    for (; left != 0; --left) {
      launch_one(x.count);
      if (x.way == Way::waited) cudaStreamSynchronize(cuda::stream());
    }
  }
  static void on_host(const Arguments& x, std::size_t begin, std::size_t end) { *x.count += static_cast<unsigned>(end - begin); }

  /// Every launch ran, once: 0, else 1.
  double error() const override {
    const unsigned count = count_.to_host().front();
    return count != 0 && count % extent_ == 0 ? 0 : 1;
  }
  double tolerance() const override { return 0; }

 private:
  static Way way_of(const Parameters& p) {
    const std::string& word = p.word("way");
    return word == "stream" ? Way::stream : word == "graph" ? Way::graph : Way::waited;
  }

  std::size_t extent_;
  DeviceArray<unsigned> count_;
  Graph graph_;
  Launch arguments_;
};

const cuda::Register<LaunchCase, double> registered{
    "ert/launch",
    "Launch overhead: kernels of one thread, one after the other",
    {{.name = "way",
      .preset = std::string("stream"),
      .description = "into a stream, as graphs of 1000, or each one waited for",
      .choices = {"stream", "graph", "waited"}},
     {.name = "launches", .preset = std::int64_t{1000}, .description = "kernels in one sweep", .max = 1'000'000}}};

}  // namespace
}  // namespace plumbline
