// The records of a sampled program are followed in the order of their times: what a process maps, and where its threads are met.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace plumbline {

/// A place in a file at which a thread was met so often. Its address is the place in the file, in bytes from its begin.
struct SampledPlace {
  int process = 0, thread = 0;
  std::string object;  // the file, or what the kernel calls it ("[vdso]"); empty: code in no file, made at run time
  std::uint64_t file_offset = 0;
  std::uint64_t samples = 0;
};

/// A record of the kernel, with the members that its kind has.
struct SampleRecord {
  enum class Kind { sample, map, execute, fork } kind = Kind::sample;
  std::uint64_t time_ns = 0;
  int process = 0, thread = 0;
  int parent = 0;                                         // fork: the process that it is a copy of
  std::uint64_t address = 0, bytes = 0, file_offset = 0;  // sample: where; map: what lies there
  std::string object = {};                                // map
};

/// Sums samples by place. Memory is bounded by the distinct places, however long the program runs.
class SampledPlaces {
 public:
  /// Takes a record; each is later than those before.
  void take(const SampleRecord& record);
  std::vector<SampledPlace> places() const;

 private:
  struct Mapping {
    std::uint64_t end = 0, file_offset = 0;
    std::size_t object = 0;
  };
  using Mappings = std::map<std::uint64_t, Mapping>;  // by begin
  std::size_t number_of(const std::string& object);
  void map(Mappings& mappings, const SampleRecord& record);

  std::vector<std::string> objects_{""};
  std::map<std::string, std::size_t> numbers_{{"", 0}};
  std::map<int, Mappings> processes_;
  std::map<std::tuple<int, int, std::size_t, std::uint64_t>, std::uint64_t> samples_;  // process, thread, object, offset
};

}  // namespace plumbline
