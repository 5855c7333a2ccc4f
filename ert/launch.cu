// The cost of handing a GPU work: kernels of one thread that do nothing. The first sweep's count themselves, so that it is proved that
// each launch is a kernel that runs; a load and a store in each would be in the time of all others.
#include <array>
#include <cmath>

#include "core/counted.hpp"
#include "core/kernel_data.hpp"
#include "cuda/graph.cuh"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

enum class LaunchWay { stream, graph, waited };

constexpr std::size_t graph_nodes = 1000;

/// The proof counts what is left to be counted since the data were made.
struct Proof {
  std::size_t left = 0;
  cuda::Graph counting, empty;  // chains of so many kernels
};

struct Launch {
  LaunchWay way;
  unsigned* count;
  Proof* proof;
};

__global__ void nothing() {}
__global__ void count_launch(unsigned* count) { *count += 1; }

/// `count` is null where nothing is to be counted.
void launch_one(unsigned* count) {
  cuda::next_launch(1);
  if (count == nullptr)
    nothing<<<1, 1, 0, cuda::stream()>>>();
  else
    count_launch<<<1, 1, 0, cuda::stream()>>>(count);
}

template <class Real>
class LaunchCase final : public KernelData<Launch> {
 public:
  static Work model(const Parameters&, std::string_view) { return {}; }

  LaunchCase(const Parameters& p, DeviceMemory& memory) : extent_(p.integer("launches")), count_(1, memory) {
    arguments_ = {way_of(p), count_.data(), &proof_};
  }

  std::size_t extent() const override { return extent_; }
  std::size_t grain() const override { return graph_nodes; }
  void initialise(std::size_t, std::size_t) override {
    count_.fill(0, 1, [](std::size_t) { return 0U; });
    proof_.left = extent_;
  }

  /// `waited` waits by its nature: that is what is measured.
  static void launch(const Launch& x, std::size_t begin, std::size_t end) {
    const std::array kernels{reinterpret_cast<const void*>(&nothing), reinterpret_cast<const void*>(&count_launch)};
    std::size_t left = end - begin;
    for (; x.way == LaunchWay::graph && left >= graph_nodes; left -= graph_nodes) {
      unsigned* const count = counted(x, graph_nodes);
      cuda::Graph& graph = count == nullptr ? x.proof->empty : x.proof->counting;
      graph.launch(kernels, [&] {
        for (std::size_t i = 0; i < graph_nodes; ++i) launch_one(count);
      });
    }
    for (; left != 0; --left) {
      launch_one(counted(x, 1));
      if (x.way == LaunchWay::waited) cudaStreamSynchronize(cuda::stream());
    }
  }
  static void on_host(const Launch& x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (unsigned* const count = counted(x, 1); count != nullptr) *count += 1;
  }

  /// The error is 0 where every launch of the first sweep ran, once; else 1.
  double error() const override { return count_.to_host().front() == extent_ ? 0 : 1; }
  double tolerance() const override { return 0; }

 private:
  /// The place where so many launches count themselves; null where all were counted.
  static unsigned* counted(const Arguments& x, std::size_t launches) {
    if (x.proof->left < launches) return nullptr;
    x.proof->left -= launches;
    return x.count;
  }
  static LaunchWay way_of(const Parameters& p) {
    const std::string& word = p.word("way");
    return word == "stream" ? LaunchWay::stream : word == "graph" ? LaunchWay::graph : LaunchWay::waited;
  }

  std::size_t extent_;
  DeviceArray<unsigned> count_;
  Proof proof_;
};

const cuda::Register<LaunchCase, double> launch_registered{
    "ert/launch",
    "Launch overhead: kernels of one thread, one after the other",
    {{.name = "way",
      .preset = std::string("stream"),
      .description = "into a stream, as graphs of 1000, or each one waited for",
      .choices = {"stream", "graph", "waited"}},
     {.name = "launches", .preset = std::int64_t{1000}, .description = "kernels in one sweep", .max = 1'000'000}}};

}  // namespace
}  // namespace plumbline
