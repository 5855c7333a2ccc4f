// A rank and its emulated worker exchange plain bytes of fixed size, so that serving allocates nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace plumbline {

/// A request for the counts of one case, of fixed size.
struct WorkerRequest {
  char kernel[64], precision[8], flavor[48], parameters[512];  // parameters as Parameters::path()
  char backend[32], events[8192];                              // one event a line
  std::int32_t threads, repetitions, ranks_per_l3;
  std::uint64_t l3_bytes;  // of the whole L3; 0: as the worker was started
  bool warm_sweep;         // before the region
};

/// A worker's reply, which is followed by (1 + phases) x repetitions x 2 x threads x events readings: the whole, then phase by phase;
/// kernel, then empty region; by thread.
struct WorkerReply {
  std::int32_t status;  // a Status
  char reason[512];     // why, or of an ok status of the first reading that is not ok
  std::int32_t threads, events, phases;
};

/// A reading as it passes through the channel.
struct WorkerReading {
  std::uint64_t raw, enabled_ns, running_ns;
  std::int64_t status;
};

/// Reads all of `bytes`; false at end of file or error.
bool read_all(int descriptor, void* data, std::size_t bytes);
bool write_all(int descriptor, const void* data, std::size_t bytes);
/// Waits until something can be read; false when nothing can within `seconds`, counted while this process runs.
bool wait_readable(int descriptor, double seconds);

}  // namespace plumbline
