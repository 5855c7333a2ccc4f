// An NVIDIA GPU is watched while something is measured on it: its conditions before, from time to time during it, and after it.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "machine/gpu_conditions.hpp"

namespace plumbline {

/// The range of one number of GpuConditions over the readings between the first and the last.
struct GpuConditionRange {
  std::string name;
  std::size_t readings = 0;  // that knew it
  double least = 0, mean = 0, most = 0;
};

struct GpuWatched {
  GpuConditions before, after;
  std::vector<GpuConditionRange> during;
  std::set<std::string> held_down_by;  // what clock_event_reasons said in any reading during it, "none" left out

  /// The mean of one number over the readings during it; NaN where none knew it.
  double mean(std::string_view name) const;
  /// The watch as JSON:
  /// {"before":{...},"during":{"sm_clock_mhz":{"readings":9,"least":..,"mean":..,"most":..},...,"clock_event_reasons":"..."},"after":{...}};
  /// a number that is not known is null beside its reason.
  std::string json() const;
};

/// Joins the JSON of two watches, one after the other, into that of one.
std::string joined_spans(const std::string& earlier, const std::string& later);

/// Watches from its construction on, by a thread of its own, which reads about ten numbers each time. `nvml` outlives it.
class GpuWatch {
 public:
  GpuWatch(const Nvml& nvml, std::string pci, std::chrono::milliseconds interval = std::chrono::milliseconds(100));
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// Ends the watch and gives what it saw; called once.
  GpuWatched end();

 private:
  void read_until_ended();
  void stop();

  const Nvml& nvml_;
  std::string pci_;
  std::chrono::milliseconds interval_;
  GpuWatched watched_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread reader_;
};

}  // namespace plumbline
