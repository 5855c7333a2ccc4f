// The L1 of each multiprocessor is read by one block of 1024 threads, its own bytes again and again, 16 of them a thread and load. (ERT's
// read-modify-write over one array of the whole GPU measures the path of stores instead.)
#include "ert/resident.cuh"

namespace plumbline {
namespace {

__global__ void __launch_bounds__(resident_threads, 1) read_through_l1(const Resident x, std::size_t first_block, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  const std::size_t block = first_block + blockIdx.x;
  const uint4* const from = reinterpret_cast<const uint4*>(x.data + block * x.words) + threadIdx.x;
  const unsigned vectors = static_cast<unsigned>(x.words / resident_words);  // of this thread
  uint4 sum = make_uint4(0, 0, 0, 0);
#pragma unroll 1
  for (std::uint64_t pass = 0; pass < x.repeat; ++pass) {
    const uint4* at = from;  // moves on, so that the loads' addresses differ by constants
    unsigned left = vectors;
#pragma unroll 1
    for (; left >= 4; left -= 4, at += 4 * resident_threads) {
      uint4 read[4];
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) read[k] = cuda::load_l1(at + k * std::size_t{resident_threads});
#pragma unroll
      for (unsigned k = 0; k < 4; ++k) cuda::add_words(sum, read[k]);
    }
#pragma unroll 1
    for (; left != 0; --left, at += resident_threads) cuda::add_words(sum, cuda::load_l1(at));
  }
  x.sums[block * resident_threads + threadIdx.x] = cuda::words_of(sum);
}

template <class Real>
class L1Case final : public ResidentCase<Real> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    return ResidentCase<Real>::work_of(p.integer("blocks"), words_of(p), p.integer("repeat"));
  }
  L1Case(const Parameters& p, DeviceMemory& memory) : ResidentCase<Real>(p.integer("blocks"), words_of(p), p.integer("repeat"), memory) {}

  static void launch(const Resident& x, std::size_t begin, std::size_t end) {
    // All of what a multiprocessor has is to be L1, nothing shared memory.
    cudaFuncSetAttribute(read_through_l1, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1);
    const std::uint64_t vectors = x.words / resident_words;
    cuda::next_launch((end - begin) * resident_threads, {x.repeat, vectors / 4, vectors % 4});
    read_through_l1<<<static_cast<unsigned>(end - begin), resident_threads, 0, cuda::stream()>>>(x, begin, cuda::clock_span());
  }

 private:
  static std::uint64_t words_of(const Parameters& p) { return p.integer("pieces") * resident_words; }
};

const cuda::Register<L1Case, double> l1_registered{
    "ert/l1",
    "Bandwidth of L1: a block of 1024 threads re-reads its own bytes, 16 a load",
    {{.name = "blocks", .preset = std::int64_t{132}, .description = "one for each multiprocessor", .max = 1 << 20},
     {.name = "pieces", .preset = std::int64_t{4}, .description = "of 16 KiB that a block reads", .max = 1 << 20},
     {.name = "repeat", .preset = std::int64_t{1000}, .description = "passes in one sweep"}}};

}  // namespace
}  // namespace plumbline
