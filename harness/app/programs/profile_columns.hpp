// The rows of a profile, of the whole, of ranks, regions, functions, processes and threads, have their columns here.
#pragma once
#include <optional>
#include <string>

#include "app/programs/profile_document.hpp"
#include "model/placement/roofline.hpp"
#include "profile/launch_meeting.hpp"
#include "profile/native_run.hpp"
#include "profile/profile.hpp"
#include "profile/timed_functions.hpp"

namespace plumbline::app {

using Number = std::optional<double>;

/// Prints a whole number: "1,234,567".
std::string whole_text(Number value);

/// The boundary farthest from the core whose bytes are known, which is where they cost most.
const char* farthest_boundary(const EventSums& sums);
/// Whether that is the memory's.
bool is_simulated(const Profile& profile);

Number flops_of(const EventSums& sums);
Number far_bytes_of(const EventSums& sums);

/// A launch of so many ranks with what they did together.
struct WholeLaunch {
  int ranks;
  const Profile* profile;
};

/// A rank with the ending that it told and its native run; null: it told none.
struct EndedRank : RankCounts {
  const RankEnding* ending = nullptr;
  const NativeRank* timed = nullptr;
};

/// The times that people see of a rank.
struct RankTimes {
  std::int64_t rank = 0;
  double seconds = absent;      // from start to end
  double cpu_seconds = absent;  // in user mode
  double mpi_seconds = absent;  // of those in libraries that carry messages
  double gflops = absent, flops = absent;
  std::string host = {};
};

/// A thread with the process that it is of.
struct ThreadOfProcess : ThreadReport {
  int rank, pid;
};

/// The entries of a marked region.
struct RegionMarks {
  std::uint64_t entries = 0;
  int ranks = 0, processes = 0, threads = 0;  // that entered it
  bool open = false;                          // at the end of a process
};

/// A program, a function of it, a loop of that, or a marked region, with its part of the time and its place under the roofs.
struct PlacedRow {
  std::string name = {}, object = {};  // the name of a loop is its source line
  std::string function = {};           // that a loop is in; else empty
  std::string shown = {};              // the name as people see it
  std::uint64_t samples = 0;
  Share share = {};                       // of all samples; of a region of the time from start to end, without an interval
  int cores = 1;                          // that did it at once
  double cpu_seconds = absent;            // of all threads
  double imbalance = absent;              // the time over that of as many cores with equal parts
  double fma_part = absent;               // FMAs over FMAs, sums and products
  const RooflinePlacement* at = nullptr;  // borrowed
  EventSums counts = {};
  std::optional<ReuseDistances> reuse = {};
  std::optional<RegionMarks> region = {};  // nullopt: it is none
};

/// People see no rate of a function that fewer samples met.
inline constexpr std::uint64_t fewest_samples = 10;

Columns<WholeLaunch> total_columns();
/// `kind`: total, function, loop or region.
Columns<PlacedRow> placed_columns(const std::string& kind);
/// `far`: the boundary of which people see the bytes.
Columns<EndedRank> rank_columns(const std::string& far);
/// The columns that people see of ranks that were timed.
Columns<RankTimes> rank_times_columns();
RankTimes times_of(const EndedRank& rank);
Columns<RegionCountsByName> region_columns(bool simulated);
/// The columns of functions that are the largest by a measure, which is called `by`.
Columns<FunctionCounts> function_columns(const Profile& profile, const std::string& by, Number (*measure)(const EventSums&));
Columns<ProcessCounts> process_columns();
Columns<ThreadOfProcess> thread_columns();

}  // namespace plumbline::app
