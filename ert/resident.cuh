// Blocks of 1024 threads read their own bytes, which stay in a multiprocessor, again and again, for ert/l1 and ert/shared.
#pragma once
#include "core/kernel_data.hpp"
#include "cuda/clock_span.cuh"
#include "cuda/register.cuh"
#include "cuda/wide.cuh"

namespace plumbline {

struct Resident {
  const unsigned* data;  // `words` of each block, a multiple of resident_words
  std::uint64_t words, repeat;
  unsigned* sums;  // of each thread, what it read in all passes; of the host's loop the first thread alone
};

constexpr unsigned resident_threads = 1024;
constexpr std::uint64_t resident_words = resident_threads * cuda::wide_bytes / sizeof(unsigned);  // that a block reads at once: 16 KiB

/// A case of a block's re-reading has data, model and check; Launch is a template over it. `real` stands for nothing: bits are read, as
/// fp64 has them.
template <class Real>
class ResidentCase : public KernelData<Resident> {
 public:
  /// The work of blocks whose data are loaded from global memory so many times.
  static Work work_of(std::uint64_t blocks, std::uint64_t words, std::uint64_t times) {
    plumbline::Stream data{
        .array = "data", .footprint_bytes = blocks * words * 4, .read = true, .loads = blocks * words * times, .element_bytes = 4};
    if (times > 1) data.layers = {{.reuse_bytes = blocks * words * 4, .fetched_bytes = blocks * words * times * 4}};
    const std::uint64_t threads = blocks * resident_threads;
    return {.streams = {
                data,
                {.array = "sums", .footprint_bytes = threads * 4, .written = true, .stores = threads, .element_bytes = sizeof(unsigned)},
                cuda::clock_stream()}};
  }

  ResidentCase(std::uint64_t blocks, std::uint64_t words, std::uint64_t repeat, DeviceMemory& memory)
      : blocks_(blocks), data_(blocks * words, memory), sums_(blocks * resident_threads, memory) {
    arguments_ = {data_.data(), words, repeat, sums_.data()};
  }

  std::size_t extent() const override { return blocks_; }
  void initialise(std::size_t begin, std::size_t end) override {
    data_.fill(begin * arguments_.words, end * arguments_.words, &word);
    sums_.fill(begin * resident_threads, end * resident_threads, [](std::size_t) { return 0U; });
  }

  static void on_host(const Resident& x, std::size_t begin, std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
      unsigned* const sum = x.sums + block * resident_threads;
      std::fill_n(sum, resident_threads, 0U);
      for (std::uint64_t pass = 0; pass < x.repeat; ++pass)
        for (std::uint64_t i = 0; i < x.words; ++i) sum[0] += x.data[block * x.words + i];
    }
  }

  /// The part of all blocks whose threads did not read each word in each pass.
  double error() const override {
    std::vector<unsigned> read(blocks_), added(blocks_);
    data_.read(0, data_.size(), [&](std::size_t i, unsigned x) { read[i / arguments_.words] += x; });
    sums_.read(0, sums_.size(), [&](std::size_t i, unsigned x) { added[i / resident_threads] += x; });
    std::size_t wrong = 0;
    for (std::size_t block = 0; block < blocks_; ++block) wrong += added[block] != static_cast<unsigned>(arguments_.repeat) * read[block];
    return static_cast<double>(wrong) / static_cast<double>(blocks_);
  }
  double tolerance() const override { return 0; }

 private:
  static unsigned word(std::size_t i) { return static_cast<unsigned>(varied(1, i) * 0x1p32) ^ static_cast<unsigned>(i); }

  std::size_t blocks_;
  DeviceArray<unsigned> data_, sums_;
};

}  // namespace plumbline
