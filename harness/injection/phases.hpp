// The phases that a program marks by itself are followed: NVTX's ranges, the marks of plumbline.h, cudaProfilerStart and cudaProfilerStop.
// Ranges nest by thread; those that any thread may end are the whole process's.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

/// A marked region of a process: all ranges of that name.
struct PhaseRegion {
  std::string name = {};
  std::uint64_t entries = 0;
  double seconds = 0;  // while it was open, however often at once
  bool open = false;   // when this was told
  bool operator==(const PhaseRegion&) const = default;
};

struct ProgramPhases {
  std::vector<PhaseRegion> regions = {};
  /// The regions that are open in each phase, the outermost first, by their place in `regions`; phase 0 has none.
  std::vector<std::vector<std::uint32_t>> phases = {{}};
  std::uint64_t lost = 0;  // ranges that found no room among so many names, and launches among so many phases
};

/// The name under which cudaProfilerStart opens a region and cudaProfilerStop closes it.
inline constexpr const char* profiled_region = "cudaProfilerStart";

/// The phases of this process. All of this may be called by any thread, at any time.
namespace phases {

/// The most names and phases that are followed.
inline constexpr std::size_t most_regions = 1000, most_phases = 4000;

/// The calling thread enters a range. `domain`: whose range it is: of those of a domain leave() ends the last.
void enter(std::string_view name, std::uint64_t domain);
/// Ends the calling thread's last range of the domain; nothing where there is none.
void leave(std::uint64_t domain);
/// Ends the calling thread's last range of that name and domain; nothing where there is none.
void leave(std::string_view name, std::uint64_t domain);
/// Begins a range of the process, which any thread may end by the number that this gives.
std::uint64_t begin(std::string_view name);
void end(std::uint64_t number);
/// Ends the process's last range of that name.
void end(std::string_view name);

/// The phase that the calling thread is in; 0: none.
std::uint32_t current();
ProgramPhases all();
/// Forgets all: for tests. No thread but the caller may be in a range.
void forget();

}  // namespace phases

}  // namespace plumbline
