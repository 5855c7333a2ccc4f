// Shared memory is measured by warps that each read 512 bytes side by side, so that no two lanes want the same bank.
#include "ert/resident.cuh"

namespace plumbline {
namespace {

constexpr unsigned pieces = 2;  // of 16 KiB: two blocks of 1024 threads fit every multiprocessor from compute capability 8.0 on

constexpr std::uint64_t passes_at_once = 4;

__global__ void __launch_bounds__(resident_threads) read_shared(const Resident x, std::size_t first_block, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  __shared__ uint4 kept[pieces * resident_threads];
  const std::size_t block = first_block + blockIdx.x;
  const uint4* const from = reinterpret_cast<const uint4*>(x.data + block * x.words);
#pragma unroll
  for (unsigned k = 0; k < pieces; ++k) kept[threadIdx.x + k * resident_threads] = from[threadIdx.x + k * resident_threads];
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(kept + threadIdx.x));
  uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll passes_at_once
  for (std::uint64_t pass = 0; pass < x.repeat; ++pass)
#pragma unroll
    for (unsigned k = 0; k < pieces; ++k) cuda::add_words(sum, cuda::load_shared(at + k * resident_threads * unsigned{cuda::wide_bytes}));
  x.sums[block * resident_threads + threadIdx.x] = cuda::words_of(sum);
}

template <class Real>
class SharedCase final : public ResidentCase<Real> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const std::uint64_t words = p.integer("blocks") * pieces * resident_words;
    Work work = ResidentCase<Real>::work_of(p.integer("blocks"), pieces * resident_words, 1);
    work.streams.push_back(
        {.array = "kept", .loads = words * p.integer("repeat"), .stores = words, .element_bytes = sizeof(unsigned), .scratchpad = true});
    return work;
  }
  SharedCase(const Parameters& p, DeviceMemory& memory)
      : ResidentCase<Real>(p.integer("blocks"), pieces * resident_words, p.integer("repeat"), memory) {}

  static void launch(const Resident& x, std::size_t begin, std::size_t end) {
    cuda::next_launch((end - begin) * resident_threads, {x.repeat / passes_at_once, x.repeat % passes_at_once});
    read_shared<<<static_cast<unsigned>(end - begin), resident_threads, 0, cuda::stream()>>>(x, begin, cuda::clock_span());
  }
};

const cuda::Register<SharedCase, double> shared_registered{
    "ert/shared",
    "Bandwidth of shared memory: a block of 1024 threads re-reads its own 32 KiB, 16 bytes a load, without bank conflicts",
    {{.name = "blocks", .preset = std::int64_t{264}, .description = "thread blocks", .max = 1 << 20},
     {.name = "repeat", .preset = std::int64_t{4000}, .description = "passes in one sweep"}}};

}  // namespace
}  // namespace plumbline
