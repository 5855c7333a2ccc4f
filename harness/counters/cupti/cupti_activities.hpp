// Each kernel that a process runs on its GPUs is timed by CUPTI's activities, those in graphs too, and each copy and setting of memory.
// Nothing is waited for, and no kernel runs twice.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "counters/cupti/cupti_host.hpp"
#include "counters/cupti/launch_places.hpp"

namespace plumbline {

struct ActivityWishes {
  std::uint64_t first_launches = 0;       // of each kernel in each phase: what these are like beside all; 0: nobody asks
  std::size_t most_rows = 1U << 16;       // of kernels, by phase
  std::size_t buffer_bytes = 2U << 20;    // of each that CUPTI fills
  std::size_t most_buffers = 32;          // at once: what finds no room is dropped by CUPTI, and counted
  std::size_t most_in_flight = 1U << 19;  // launches whose phase is kept until their records come
};

/// Some launches of a kernel.
struct LaunchSums {
  std::uint64_t launches = 0;
  double seconds = 0;  // from begin to end on the GPU; those that ran at once count each for itself
  double threads = 0;
};

/// A kernel in a phase of the program.
struct TimedKernel {
  int gpu = 0;              // ordinal
  std::string name = {};    // as the linker knows it
  std::uint32_t phase = 0;  // by LaunchPlaces
  LaunchSums all = {};
  LaunchSums first = {};        // that were launched by themselves, the first ones
  std::uint64_t of_graphs = 0;  // among all: nodes of CUDA graphs
  double longest_seconds = 0;
};

/// Copies of a kind, or settings of memory.
struct TimedCopies {
  int gpu = 0;
  std::string what = {};  // "copy host to device"
  std::uint64_t number = 0, bytes = 0;
  double seconds = 0;
};

/// The stretch of time from a GPU's first kernel to its last.
struct BusyGpu {
  int ordinal = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
};

struct KernelTimes {
  std::vector<TimedKernel> kernels = {};
  std::vector<TimedCopies> copies = {};
  std::vector<BusyGpu> gpus = {};
  std::uint64_t called = 0;          // launches by themselves that the program called for
  std::uint64_t graph_launches = 0;  // of whole graphs
  std::uint64_t dropped = 0;         // records that CUPTI dropped
  std::uint64_t crowded = 0;         // records of kernels beyond the most rows
  std::uint64_t untimed = 0;         // records without times
  std::uint64_t unplaced = 0;        // records whose phase had been forgotten
  std::uint64_t unreadable = 0;      // buffers that could not be read to their end
};

/// Times from its making on. At most one is in a process.
class CuptiActivities {
 public:
  /// Subscribes to CUPTI's callbacks and switches the records on; throws CuptiError where one of them is refused. `taken` is called, by a
  /// thread of CUPTI's, after each buffer was read.
  CuptiActivities(const CuptiHost& cupti, ActivityWishes wishes, LaunchPlaces places, std::function<void()> taken);
  CuptiActivities(const CuptiActivities&) = delete;
  CuptiActivities& operator=(const CuptiActivities&) = delete;
  ~CuptiActivities();

  /// Takes what is left, and switches the records off. Gives why not all could be had; ok where nothing stood in the way.
  Availability end();
  /// The times so far.
  KernelTimes times() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

/// CuptiActivities as the driver loads it into a program: what refuses to start is a value. Null: why_not says it.
std::unique_ptr<CuptiActivities> time_kernels(const CuptiHost& cupti, ActivityWishes wishes, LaunchPlaces places,
                                              std::function<void()> taken, Availability& why_not);

}  // namespace plumbline
