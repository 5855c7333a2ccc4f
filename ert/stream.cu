// Bandwidth of L2 and of a GPU's memory is measured by working set: 16 bytes an access, past L1, four accesses of each array in flight a
// thread. `load` adds words as integers, so that every one is really read and the result proves it, without a FLOP. Loads past L1 are
// strong (LDG.STRONG.GPU), which L2 may serve from the half of it that owns the line alone; `load_weak` loads as plain code does and keeps
// nothing in L1, so that both ways are measured.
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>

#include "core/kernel_data.hpp"
#include "cuda/arithmetic.cuh"
#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"
#include "cuda/tile.hpp"
#include "cuda/wide.cuh"
#include "ert/stream_grid.hpp"
#include "ert/stream_work.hpp"

namespace plumbline {
namespace {

using cuda::plus, cuda::times;

enum class Pattern { load, load_weak, store, copy, update, triad };
template <Pattern pattern>
constexpr bool only_loads = pattern == Pattern::load || pattern == Pattern::load_weak;

struct PatternWord {
  std::string_view word;
  bool reads_a, writes_a, reads_b, reads_c;
  std::uint64_t add, mul;  // FLOPs an element
};
constexpr PatternWord patterns[] = {
    PatternWord{"load", true, false, false, false, 0, 0},  PatternWord{"load_weak", true, false, false, false, 0, 0},
    PatternWord{"store", false, true, false, false, 0, 0}, PatternWord{"copy", false, true, true, false, 0, 0},
    PatternWord{"update", true, true, false, false, 1, 0},  // s - a
    PatternWord{"triad", false, true, true, true, 1, 1},    // b + s c
};
bool is_only_loads(Pattern pattern) { return pattern == Pattern::load || pattern == Pattern::load_weak; }
Pattern pattern_of(const Parameters& p) {
  for (std::size_t i = 0; i < std::size(patterns); ++i)
    if (patterns[i].word == p.word("pattern")) return static_cast<Pattern>(i);
  throw std::invalid_argument("ert/stream: pattern=" + p.word("pattern") + " is none");
}
const PatternWord& word_of(Pattern pattern) { return patterns[static_cast<std::size_t>(pattern)]; }

constexpr unsigned at_once = 4;          // vectors a thread has under way of each array
constexpr std::size_t witnesses = 1024;  // where the threads' sums are added up

template <class Real>
struct StreamedArrays {
  Pattern pattern;
  std::uint64_t repeat;
  Real *a, *b, *c;
  Real s;
  unsigned* sums;  // `witnesses`, and the passes of an update
};

template <class Real>
constexpr std::size_t lanes = cuda::wide_bytes / sizeof(Real);
/// Elements that a block takes at once; parts of a sweep begin at multiples of it.
template <class Real>
constexpr std::size_t chunk = stream_chunk_bytes / sizeof(Real);
static_assert(stream_chunk_bytes == cuda::block_threads * at_once * cuda::wide_bytes);

template <class Real>
__device__ __forceinline__ uint4 each_lane(uint4 b, uint4 c, Real s, bool triad) {
  uint4 a;
  const Real* const bs = reinterpret_cast<const Real*>(&b);
  const Real* const cs = reinterpret_cast<const Real*>(&c);
#pragma unroll
  for (std::size_t k = 0; k < lanes<Real>; ++k)
    reinterpret_cast<Real*>(&a)[k] = triad ? plus(bs[k], times(s, cs[k])) : plus(s, Real(-bs[k]));
  return a;
}

template <class Real>
__device__ __forceinline__ uint4 broadcast(Real s) {
  uint4 x;
#pragma unroll
  for (std::size_t k = 0; k < lanes<Real>; ++k) reinterpret_cast<Real*>(&x)[k] = s;
  return x;
}

/// Loads as plain code does, but for L1, which keeps nothing of it.
__device__ __forceinline__ uint4 load_weak(const uint4* from) {
  uint4 x;
  asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "l"(from) : "memory");
  return x;
}

/// Sweeps one chunk, of which `vectors` are there. Loads of all arrays go out before anything is stored.
template <Pattern pattern, class Real>
__device__ __forceinline__ void sweep_chunk(const StreamedArrays<Real>& x, std::size_t first, std::size_t vectors, uint4& sum) {
  constexpr PatternWord word = patterns[static_cast<std::size_t>(pattern)];
  uint4 *const a = reinterpret_cast<uint4*>(x.a) + first, *const b = reinterpret_cast<uint4*>(x.b) + first,
               *const c = reinterpret_cast<uint4*>(x.c) + first;
  uint4 left[at_once], right[at_once];
#pragma unroll
  for (unsigned k = 0; k < at_once; ++k)
    if (const std::size_t i = threadIdx.x + k * cuda::block_threads; i < vectors) {
      if constexpr (pattern == Pattern::load_weak)
        left[k] = load_weak(a + i);
      else if constexpr (word.reads_a || word.reads_b)
        left[k] = cuda::load_l2((word.reads_a ? a : b) + i);
      if constexpr (word.reads_c) right[k] = cuda::load_l2(c + i);
    }
#pragma unroll
  for (unsigned k = 0; k < at_once; ++k)
    if (const std::size_t i = threadIdx.x + k * cuda::block_threads; i < vectors) {
      if constexpr (only_loads<pattern>) cuda::add_words(sum, left[k]);
      if constexpr (pattern == Pattern::store) cuda::store_l2(a + i, broadcast(x.s));
      if constexpr (pattern == Pattern::copy) cuda::store_l2(a + i, left[k]);
      if constexpr (pattern == Pattern::update) cuda::store_l2(a + i, each_lane(left[k], left[k], x.s, false));
      if constexpr (pattern == Pattern::triad) cuda::store_l2(a + i, each_lane(left[k], right[k], x.s, true));
    }
}

/// Each block takes every so-many-th chunk. Of loads all passes are dealt out as one, so that small working sets keep every multiprocessor
/// busy and each pass meets them elsewhere; what is stored stays with its block, for passes must not overtake one another.
template <Pattern pattern, class Real>
__global__ void __launch_bounds__(cuda::block_threads)
    stream(const StreamedArrays<Real> x, std::size_t begin, std::size_t end, ClockSpan* span) {
  const cuda::ClockedKernel clocked(span);
  constexpr std::size_t chunk_vectors = chunk<Real> / lanes<Real>;
  const std::size_t first = begin / lanes<Real>, vectors = (end - begin) / lanes<Real>;
  const std::size_t chunks = (vectors + chunk_vectors - 1) / chunk_vectors;
  uint4 sum = make_uint4(0, 0, 0, 0);
  const auto take = [&](std::size_t which) {
    const std::size_t from = which * chunk_vectors;
    sweep_chunk<pattern>(x, first + from, vectors - from, sum);
  };
  if constexpr (only_loads<pattern>) {
    std::size_t at = blockIdx.x % chunks;
    const std::size_t step = gridDim.x % chunks;
#pragma unroll 1
    for (std::size_t item = blockIdx.x; item < chunks * x.repeat; item += gridDim.x) {
      take(at);
      at += step;
      if (at >= chunks) at -= chunks;
    }
    atomicAdd(x.sums + (blockIdx.x * cuda::block_threads + threadIdx.x) % witnesses, cuda::words_of(sum));
  } else {
    if (pattern == Pattern::update && begin == 0 && blockIdx.x == 0 && threadIdx.x == 0)
      atomicAdd(x.sums + witnesses, static_cast<unsigned>(x.repeat));
#pragma unroll 1
    for (std::uint64_t pass = 0; pass < x.repeat; ++pass)
#pragma unroll 1
      for (std::size_t which = blockIdx.x; which < chunks; which += gridDim.x) take(which);
  }
}

/// Blocks of a multiprocessor of this GPU that its registers hold at once: none is left for a second wave.
template <Pattern pattern, class Real>
std::size_t resident_blocks() {
  static std::map<int, std::size_t> resident;  // by device: one rank may drive unlike ones
  int device = 0, blocks = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return 1;
  if (const auto found = resident.find(device); found != resident.end()) return found->second;
  const cudaError_t known = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, stream<pattern, Real>, cuda::block_threads, 0);
  if (known != cudaSuccess) return 1;
  return resident[device] = static_cast<std::size_t>(std::max(blocks, 1));
}

/// Gives act<pattern>().
template <class Act>
void select(Pattern pattern, Act act) {
  switch (pattern) {
    case Pattern::load:
      return act.template operator()<Pattern::load>();
    case Pattern::load_weak:
      return act.template operator()<Pattern::load_weak>();
    case Pattern::store:
      return act.template operator()<Pattern::store>();
    case Pattern::copy:
      return act.template operator()<Pattern::copy>();
    case Pattern::update:
      return act.template operator()<Pattern::update>();
    case Pattern::triad:
      return act.template operator()<Pattern::triad>();
  }
}

/// Words of 32 bits, as the device adds them.
template <class Real>
unsigned sum_of_words(const Real* elements, std::size_t count) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(elements);
  unsigned sum = 0;
  for (std::size_t i = 0; i < count * sizeof(Real); i += sizeof sum) {
    unsigned word;
    std::memcpy(&word, bytes + i, sizeof word);
    sum += word;
  }
  return sum;
}

template <class Real>
class StreamCase final : public KernelData<StreamedArrays<Real>> {
 public:
  static Work model(const Parameters& p, std::string_view) {
    const PatternWord& x = word_of(pattern_of(p));
    const std::uint64_t n = elements_of(p), repeat = p.integer("repeat"), real = sizeof(Real);
    const std::uint64_t working_set = (1U + x.reads_b + x.reads_c) * n * real;
    Work work = passes_over_arrays<Real>(x, n, repeat, working_set);
    for (Stream& array : work.streams) {
      array.straddles = n * real % 32 == 0 ? 0 : repeat;  // the last sector
      array.past_L1 = true;
    }
    // Sums of loads, and the passes of an update, are added by reductions, which are neither loads nor stores.
    work.streams.push_back(cuda::clock_stream());
    return work;
  }

  StreamCase(const Parameters& p, DeviceMemory& memory)
      : memory_(memory),
        pattern_(pattern_of(p)),
        a_(elements_of(p), memory),
        b_(word_of(pattern_).reads_b ? a_.size() : 0, memory),
        c_(word_of(pattern_).reads_c ? a_.size() : 0, memory),
        sums_(witnesses + 1, memory) {
    arguments_ = {pattern_,    p.integer("repeat"), a_.data(), b_.data(), c_.data(), pattern_ == Pattern::update ? Real(1.5) : Real(0.75),
                  sums_.data()};
  }

  std::size_t extent() const override { return a_.size(); }
  std::size_t grain() const override { return chunk<Real>; }
  /// Initialises all of the arrays at once: the tiles begin at 0.
  void initialise(std::size_t, std::size_t end) override {
    if (end != extent()) return;
    cuda::fill_with_tiles(a_, memory_, 1);
    cuda::fill_with_tiles(b_, memory_, 2);
    cuda::fill_with_tiles(c_, memory_, 3);
    sums_.fill(0, sums_.size(), [](std::size_t) { return 0U; });
  }

  static void launch(const StreamedArrays<Real>& x, std::size_t begin, std::size_t end) {
    if (is_only_loads(x.pattern) && begin == 0) cudaMemsetAsync(x.sums, 0, witnesses * sizeof *x.sums, cuda::stream());
    const std::size_t chunks = (end - begin + chunk<Real> - 1) / chunk<Real>;
    select(x.pattern, [&]<Pattern pattern>() {
      const std::size_t resident = resident_blocks<pattern, Real>(), multiprocessors = static_cast<std::size_t>(cuda::multiprocessors());
      const std::size_t blocks =
          only_loads<pattern> ? std::min(resident * multiprocessors, chunks * x.repeat) : even_blocks(chunks, resident, multiprocessors);
      tell_launch(x, end - begin, blocks);
      stream<pattern><<<static_cast<unsigned>(blocks), cuda::block_threads, 0, cuda::stream()>>>(x, begin, end, cuda::clock_span());
    });
  }
  static void on_host(const StreamedArrays<Real>& x, std::size_t begin, std::size_t end) {
    if (is_only_loads(x.pattern)) {
      if (begin == 0) std::fill_n(x.sums, witnesses, 0U);
      for (std::uint64_t pass = 0; pass < x.repeat; ++pass) x.sums[0] += sum_of_words(x.a + begin, end - begin);
    }
    if (x.pattern == Pattern::update && begin == 0) x.sums[witnesses] += static_cast<unsigned>(x.repeat);
    for (std::uint64_t pass = 0; pass < x.repeat; ++pass)
      for (std::size_t i = begin; i < end; ++i) {
        if (x.pattern == Pattern::store) x.a[i] = x.s;
        if (x.pattern == Pattern::copy) x.a[i] = x.b[i];
        if (x.pattern == Pattern::update) x.a[i] = plus(x.s, Real(-x.a[i]));
        if (x.pattern == Pattern::triad) x.a[i] = plus(x.b[i], times(x.s, x.c[i]));
      }
  }

  double error() const override {
    LargestError largest;
    unsigned read = 0, added = 0, passes = 0;
    sums_.read(0, sums_.size(), [&](std::size_t i, unsigned sum) { (i < witnesses ? added : passes) += sum; });
    if (pattern_ == Pattern::update && passes == 0) return HUGE_VAL;
    cuda::read_tiles(a_, memory_, [&](std::size_t first, const Real* a, std::size_t count) {
      if (is_only_loads(pattern_))
        read += sum_of_words(a, count);
      else
        for (std::size_t i = 0; i < count; ++i) largest.compare(a[i], stored(first + i, passes));
    });
    if (!is_only_loads(pattern_)) return largest.value();
    return added == static_cast<unsigned>(arguments_.repeat) * read ? 0 : 1;
  }
  /// A rounding each: of the product and of the sum. (1.5 - a is exact.)
  double tolerance() const override { return pattern_ == Pattern::triad ? rounding_bound<Real>(2) : 0; }

 private:
  static void tell_launch(const StreamedArrays<Real>& x, std::size_t elements, std::size_t blocks) {
    if (elements % chunk<Real> != 0) return cuda::next_launch_untold("the last chunk of 16 KiB is not whole: threads part ways at its end");
    const std::uint64_t threads = blocks * cuda::block_threads, taken = elements / chunk<Real> * x.repeat * cuda::block_threads;
    if (is_only_loads(x.pattern))
      cuda::next_launch_in_all(threads, {taken}, true);
    else
      cuda::next_launch_in_all(threads, {threads * x.repeat, taken}, true);
  }

  /// The number of elements in whole chunks, so that every access has its 16 bytes.
  static std::uint64_t elements_of(const Parameters& p) {
    const std::uint64_t n = p.integer("n");
    return (n + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
  }
  long double stored(std::size_t i, unsigned passes) const {
    const auto value = [&](std::uint64_t stream) { return static_cast<long double>(cuda::tiled<Real>(stream, i)); };
    const auto s = static_cast<long double>(arguments_.s);
    if (pattern_ == Pattern::store) return s;
    if (pattern_ == Pattern::copy) return value(2);
    if (pattern_ == Pattern::triad) return value(2) + s * value(3);
    return passes % 2 == 0 ? value(1) : s - value(1);
  }

  DeviceMemory& memory_;
  Pattern pattern_;
  DeviceArray<Real> a_, b_, c_;
  DeviceArray<unsigned> sums_;
  using KernelData<StreamedArrays<Real>>::arguments_;
};

const cuda::Register<StreamCase> stream_registered{
    "ert/stream",
    "Bandwidth of L2 and memory: 16-byte accesses past L1 (McCalpin's STREAM, and its parts)",
    {{.name = "pattern",
      .preset = std::string("triad"),
      .description = "load, load_weak (as plain code loads, past L1 all the same), store, copy, update a = 1.5 - a, triad a = b + s c",
      .choices = {"load", "load_weak", "store", "copy", "update", "triad"}},
     {.name = "n", .preset = std::int64_t{1} << 24, .description = "elements of each array, rounded up to 16 bytes"},
     {.name = "repeat", .preset = std::int64_t{1}, .description = "passes in one sweep"}}};

}  // namespace
}  // namespace plumbline
