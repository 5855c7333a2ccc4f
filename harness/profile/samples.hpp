// A program that runs natively is sampled: at equal distances of each thread's CPU time, where it is at work.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/run_window.hpp"
#include "profile/sampled_functions.hpp"
#include "profile/symbols.hpp"

namespace plumbline {

struct Samples {
  double seconds_each = 0;  // of CPU time in user mode, that a sample stands for
  std::vector<SampledFunction> functions;
  SampleSum whole = {};
  int processes = 1, threads = 1;  // that were there
  std::uint64_t lost = 0;          // samples that found no room
  double reading_seconds = 0;      // CPU time that following them took, beside the program
};

/// The distance between two samples of a thread, of CPU time: no round number, so that it keeps step with nothing.
inline constexpr std::uint64_t sampling_period_ns = 1'009'000;

/// Functions that `symbols` names, to be met every so often.
SampledFunctions sampled_functions(Symbols& symbols, std::uint64_t period_ns);

/// Says why the system refuses perf_event's samples; empty where it gives them.
std::string why_no_perf_event();

/// Samples what this thread starts from now on, from its execution of a program on: its threads, its children and theirs. Linux's CPU clock
/// tells when (perf_event's software event: no PMU, no root), its records tell what lies where. A thread that is on a CPU for less than the
/// distance between samples may be met on none.
class Sampler {
 public:
  /// Names functions by `symbols`, which nobody else may use until take(), and takes samples in `window` alone, where one is given. Throws
  /// Error (user) where the system refuses, with what it wants.
  explicit Sampler(Symbols& symbols, SampleWindow* window = nullptr);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();
  /// Ends the sampling and gives what was met.
  Samples take();

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace plumbline
