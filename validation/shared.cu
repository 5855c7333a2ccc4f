// A stream passes through shared memory: tiles of 256 elements, each turned by one place a round, so that every round loads and stores each
// element once, without a bank conflict and without arithmetic. What was loaded says where it has been.
#include "core/kernel_data.hpp"
#include "cuda/register.cuh"

namespace plumbline {
namespace {

using cuda::block_threads;

template <class Real>
struct Shared {
  const Real* in;
  Real* out;
  std::size_t rounds;
};

template <class Real>
struct SharedBody {
  static __device__ void block(const Shared<Real>& x, std::size_t tile) {
    __shared__ Real tiles[2][block_threads];
    const unsigned thread = threadIdx.x, next = (thread + 1) % block_threads;
    const std::size_t i = tile * block_threads + thread;
    tiles[0][thread] = x.in[i];
    Real passed = 0;
#pragma unroll 1
    for (std::size_t round = 0; round < x.rounds; ++round) {
      __syncthreads();  // one suffices: a round reads one tile and writes the other
      passed = tiles[round % 2][next];
      tiles[1 - round % 2][thread] = passed;
    }
    x.out[i] = passed;
  }
};

template <class Real>
class SharedCase final : public KernelData<Shared<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t n = p.integer("tiles") * block_threads, rounds = p.integer("rounds"), real = sizeof(Real);
    return {.streams = {loaded<Real>("in", n),
                        stored<Real>("out", n),
                        // The first store of an element is by which it comes in.
                        {.array = "tiles", .loads = rounds * n, .stores = (rounds + 1) * n, .element_bytes = real, .scratchpad = true}}};
  }

  SharedCase(const Parameters& p, DeviceMemory& memory) : in_(p.integer("tiles") * block_threads, memory), out_(in_.size(), memory) {
    arguments_ = {in_.data(), out_.data(), p.integer("rounds")};
  }

  std::size_t extent() const override { return in_.size() / block_threads; }
  void initialise(std::size_t begin, std::size_t end) override {
    in_.fill(begin * block_threads, end * block_threads, [](std::size_t i) { return Real(varied(1, i)); });
    out_.fill(begin * block_threads, end * block_threads, [](std::size_t) { return Real(0.5); });
  }

  static void launch(const Shared<Real>& x, std::size_t begin, std::size_t end) {
    cuda::launch_blocks<SharedBody<Real>>(x, begin, end, {x.rounds});
  }
  static void on_host(const Shared<Real>& x, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * block_threads; i < end * block_threads; ++i) x.out[i] = x.in[source(i, x.rounds)];
  }

  double error() const override {
    LargestError largest;
    out_.read(0, out_.size(), [&](std::size_t i, Real moved) {
      largest.compare(moved, static_cast<long double>(Real(varied(1, source(i, arguments_.rounds)))));
    });
    return largest.value();
  }
  double tolerance() const override { return 0; }  // moved, not computed

 private:
  static std::size_t source(std::size_t i, std::size_t rounds) { return i / block_threads * block_threads + (i + rounds) % block_threads; }

  DeviceArray<Real> in_, out_;
  using KernelData<Shared<Real>>::arguments_;
};

const cuda::Register<SharedCase> shared_registered{
    "validation/shared",
    "Stream through shared memory: tiles of 256 elements, moved on by one place a round",
    {{.name = "tiles", .preset = std::int64_t{4096}, .description = "tiles of 256 elements", .max = std::int64_t{1} << 24},
     {.name = "rounds", .preset = std::int64_t{64}, .description = "loads and stores of each element", .max = 1 << 20}}};

}  // namespace
}  // namespace plumbline
