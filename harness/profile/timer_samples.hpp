// A program that runs natively is sampled by timers of its own threads, where the system refuses perf_event.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "profile/program_run.hpp"
#include "profile/samples.hpp"
#include "profile/symbols.hpp"

namespace plumbline {

/// Samples the programs that are started with its environment and, by preloading(), its library (preload/cpu_timer.c), which gives every
/// thread a timer of its own CPU time. Linux looks at such timers when its clock ticks, most often each 1 to 4 ms. Programs that are linked
/// statically or are set-uid load nothing, and are met on no CPU.
class TimerSampler {
 public:
  /// `folder` is where processes leave their samples. Throws Error (user) where the loader cannot be told the library's name.
  TimerSampler(const std::filesystem::path& library, std::filesystem::path folder);
  std::vector<SetVariable> environment() const { return environment_; }
  /// Reads what the processes left, all of which have ended; of a window what lies in it, where one is given.
  Samples take(Symbols& symbols, SampleWindow* window = nullptr) const;

 private:
  std::filesystem::path folder_;
  std::vector<SetVariable> environment_;
};

}  // namespace plumbline
