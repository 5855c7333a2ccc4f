// What passes between a rank and its emulated worker: plain bytes of fixed size, so that serving allocates nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace plumbline {

struct WorkerRequest {
  char kernel[64], precision[8], flavor[48], parameters[512];  // parameters as Parameters::path()
  std::int32_t threads;
  std::uint64_t entries;
  std::int32_t ranks_per_l3;
  bool warm_sweep;  // before the region
};

/// Followed by 2 x threads x events numbers: kernel, then empty region, by thread.
struct WorkerReply {
  std::int32_t status;  // a Status
  char reason[512];
  std::int32_t threads, events;
};

/// All of `bytes`, or false at end of file or error.
bool read_all(int descriptor, void* data, std::size_t bytes);
bool write_all(int descriptor, const void* data, std::size_t bytes);
/// False when nothing can be read within `seconds`.
bool wait_readable(int descriptor, double seconds);

}  // namespace plumbline
