// The cost of handing a GPU a kernel depends on what is handed over with it: its blocks and threads, its arguments and its shared memory.
// The first sweep's launches count themselves, so that it is proved that each is a kernel that runs.
#include <array>
#include <stdexcept>
#include <utility>

#include "core/kernel_data.hpp"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

struct LaunchShape {
  unsigned blocks, threads;
  std::uint64_t arguments;
  std::size_t shared_bytes;
  unsigned* count;
  std::size_t* uncounted;  // of the launches of the first sweep
};

/// Counts the launch in its first thread where it is told a place for that, and does nothing with what else it is handed.
template <class... Words>
__global__ void take(unsigned* count, Words...) {
  if (count != nullptr && blockIdx.x == 0 && threadIdx.x == 0) *count += 1;
}

template <std::size_t... others>
void launch_one(const LaunchShape& x, unsigned* count, std::index_sequence<others...>) {
  cuda::next_launch_untold("one thread of the first launches alone counts them");
  take<<<x.blocks, x.threads, x.shared_bytes, cuda::stream()>>>(count, (std::uint64_t{others})...);
}

/// Numbers of arguments, of 8 bytes each, with the launch of a kernel that has so many.
struct Taker {
  std::uint64_t arguments;
  void (*launch)(const LaunchShape&, unsigned* count);
};
template <std::size_t arguments>
constexpr Taker taker{arguments,
                      [](const LaunchShape& x, unsigned* count) { launch_one(x, count, std::make_index_sequence<arguments - 1>()); }};
constexpr std::array takers{taker<1>, taker<8>, taker<32>, taker<128>};

const Taker& taker_of(std::uint64_t arguments) {
  for (const Taker& one : takers)
    if (one.arguments == arguments) return one;
  throw std::invalid_argument("ert/launch_shape: arguments=" + std::to_string(arguments) +
                              " has no kernel; there are those of 1, 8, 32 and 128");
}

template <class Real>
class LaunchShapeCase final : public KernelData<LaunchShape> {
 public:
  static Work model(const Parameters& p, std::string_view) { return taker_of(p.integer("arguments")), Work{}; }

  LaunchShapeCase(const Parameters& p, DeviceMemory& memory) : extent_(p.integer("launches")), count_(1, memory) {
    arguments_ = {static_cast<unsigned>(p.integer("blocks")),
                  static_cast<unsigned>(p.integer("threads")),
                  taker_of(p.integer("arguments")).arguments,
                  p.integer("shared_bytes"),
                  count_.data(),
                  &uncounted_};
  }

  std::size_t extent() const override { return extent_; }
  void initialise(std::size_t, std::size_t) override {
    count_.fill(0, 1, [](std::size_t) { return 0U; });
    uncounted_ = extent_;
  }

  static void launch(const LaunchShape& x, std::size_t begin, std::size_t end) {
    const Taker& taker = taker_of(x.arguments);
    for (std::size_t i = begin; i < end; ++i) taker.launch(x, place_to_count(x));
  }
  static void on_host(const LaunchShape& x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (unsigned* const count = place_to_count(x)) ++*count;
  }

  /// The error is 0 where every launch of the first sweep ran, once; else 1.
  double error() const override { return count_.to_host().front() == extent_ ? 0 : 1; }
  double tolerance() const override { return 0; }

 private:
  static unsigned* place_to_count(const LaunchShape& x) {
    if (*x.uncounted == 0) return nullptr;
    --*x.uncounted;
    return x.count;
  }

  std::size_t extent_, uncounted_ = 0;
  DeviceArray<unsigned> count_;
};

const cuda::Register<LaunchShapeCase, double> launch_shape_registered{
    "ert/launch_shape",
    "Launch overhead by what is launched: kernels that do nothing, into a stream",
    {{.name = "blocks", .preset = std::int64_t{1}, .description = "thread blocks of a kernel", .max = 1 << 20},
     {.name = "threads", .preset = std::int64_t{1}, .description = "threads of a block", .max = 1024},
     {.name = "arguments", .preset = std::int64_t{1}, .description = "arguments of 8 bytes: 1, 8, 32 or 128", .max = 128},
     {.name = "shared_bytes", .preset = std::int64_t{0}, .description = "dynamic shared memory of a block", .min = 0, .max = 48 * 1024},
     {.name = "launches", .preset = std::int64_t{1000}, .description = "kernels in one sweep", .max = 1'000'000}}};

}  // namespace
}  // namespace plumbline
