// The records of a sampled program are followed in the order of their times: what a process maps, and in which function each CPU is met.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

/// A record of the kernel, with the members that its kind has.
struct SampleRecord {
  enum class Kind { sample, map, execute, fork, exit } kind = Kind::sample;
  std::uint64_t time_ns = 0;
  int process = 0, thread = 0;
  int parent = 0;                                         // fork: the process that it is a copy of; a thread's is its own
  int cpu = 0;                                            // sample
  std::uint64_t address = 0, bytes = 0, file_offset = 0;  // sample: where; map: what lies there
  std::string object = {};                                // map
};

/// Samples that belong together. A sample stands for a stretch of CPU time, and time is cut into slots: what one CPU does in a slot while
/// others do the same takes no longer. A thread that moves from one CPU to another meanwhile is one all the same.
struct SampleSum {
  std::uint64_t samples = 0;  // of all CPUs
  double elapsed = 0;         // of the busiest CPU, or thread, in each slot, summed: as long as it took, in samples
  double cores = 0;           // CPUs that were met in a slot, no more than threads; the mean over samples
};

/// Adds samples of other slots, or of other places.
void add(SampleSum& to, const SampleSum& more);

/// A place in a function, where CPUs were met. It has its part of what the function took in each slot.
struct SampledPlace {
  std::uint64_t file_offset = 0;
  SampleSum sum = {};
};

/// A function in which CPUs were met.
struct SampledFunction {
  std::string name, object;
  std::uint64_t begin = 0;  // as in FunctionPlace
  SampleSum sum = {};
  std::vector<SampledPlace> places = {};  // none of code in no file
};

/// Sums samples by function. Memory is bounded by the functions that are met and by the processes that live, however long the program runs.
class SampledFunctions {
 public:
  /// `function_at`: the function of a place in a file ("" for code in no file), with all members but its sum. It is asked once for a place.
  explicit SampledFunctions(std::function<SampledFunction(const std::string& object, std::uint64_t file_offset)> function_at,
                            std::uint64_t slot_ns = 10'000'000)
      : function_at_(std::move(function_at)), slot_ns_(slot_ns) {}

  /// Takes a record; each is later than those before.
  void take(const SampleRecord& record);
  /// Ends the last slot. The functions in the order in which they were met.
  const std::vector<SampledFunction>& finish();
  /// The samples of all functions together.
  const SampleSum& whole() const { return whole_.sum; }
  /// The processes and threads that were there, the first one among them.
  int processes() const { return 1 + processes_started_; }
  int threads() const { return 1 + threads_started_; }

 private:
  struct Mapping {
    std::uint64_t end = 0, file_offset = 0;
    std::size_t object = 0;
  };
  struct Process {
    std::map<std::uint64_t, Mapping> mappings = {};  // by begin
    int threads = 1;                                 // that live
  };
  /// The samples of the slot that is under way, with those of the slots before.
  struct Slot {
    SampleSum sum = {};
    std::map<int, std::uint64_t> of_cpu = {}, of_thread = {};
    std::map<std::size_t, std::uint64_t> of_place = {};
    void add(const SampleRecord& record);
    /// Ends the slot, and gives what it was.
    SampleSum close();
  };
  struct Place {
    std::size_t function = 0;
    std::uint64_t file_offset = 0;
    SampleSum sum = {};
  };

  std::size_t number_of(const std::string& object);
  void map(Process& process, const SampleRecord& record);
  void fork(const SampleRecord& record);
  std::size_t place_of(const Process& process, std::uint64_t address);
  std::size_t function_at(std::size_t object, std::uint64_t file_offset);
  void close_slot();

  std::function<SampledFunction(const std::string&, std::uint64_t)> function_at_;
  std::uint64_t slot_ns_;
  std::vector<std::string> objects_{""};
  std::map<std::string, std::size_t> object_numbers_{{"", 0}};
  std::map<int, Process> processes_;
  int processes_started_ = 0, threads_started_ = 0;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> place_numbers_;  // by object and offset
  std::vector<Place> places_;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> known_;  // of functions, by file and begin
  std::vector<SampledFunction> functions_;
  std::vector<Slot> slots_;  // of each function
  std::vector<std::size_t> met_;
  Slot whole_;
  std::uint64_t slot_ = 0;
};

/// The length of a slot, in distances between the samples of a thread.
inline constexpr std::uint64_t sampling_slot_periods = 10;

}  // namespace plumbline
