// The records that a run produces and a store keeps are plain: one struct a table of the contract (README, "The result file"). Absent
// numbers are NaN with status != ok.
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/ceiling_level.hpp"
#include "core/status.hpp"

namespace plumbline {

inline constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// The CeilingRow::scope of a ceiling that was measured on a GPU. Only cases that ran on a GPU are held against it, and against nothing
/// else.
inline constexpr const char* gpu_scope = "GPU";

/// /cases: a case that was to be measured. `id` is stable across runs and machines.
struct CaseRow {
  std::string id, work, kernel, precision, flavor;
  std::int64_t ranks = 1, threads = 1;
  std::string params;    // JSON object in declared order
  std::int64_t row = 0;  // its place in the table
  // On which it ran, each driven by one thread of a rank of its own; files from before there were any read as 0. Of a phase that is the
  // host's: 0.
  std::int64_t gpus = 0;
  bool operator==(const CaseRow&) const = default;
};

/// The threads of each rank that do what is timed and counted of a row: beside a GPU the one that drives it.
inline std::int64_t working_threads(const CaseRow& row) { return row.gpus > 0 ? 1 : row.threads; }

/// /outcomes: how one pass ("time", "count" or "again") of one case ended on one node in one session.
struct OutcomeRow {
  std::string case_id, pass;
  Status status = Status::ok;
  std::string reason, node;
  std::string placement;  // JSON: {"ranks":[{"rank":0,"host":"a","cpus":[0,1]}],"oversubscribed":false,"error":1e-16,...}
  std::int64_t started_unix_ns = 0;
  std::string session;
  bool operator==(const OutcomeRow&) const = default;
};

/// The id of an application's phase where it stands among cases: "CASE#update". Files keep the two apart, in columns `case` and `phase`.
std::string phase_id(const std::string& case_id, const std::string& phase);
/// The phase in an id, of letters, digits, "_" and "@"; empty for a whole case's. (Names of GPU kernels have "#" as well:
/// "f()::{lambda()#1}".)
std::string phase_of(const std::string& id);
/// The case in an id.
std::string case_of(const std::string& id);

/// /times: one repetition of a case. `seconds` is the time of one sweep: the latest end in the team minus the earliest start, divided by
/// the number of sweeps between. Rank -1 is the team.
struct TimeRow {
  std::string case_id, node, session;
  std::int32_t repetition = 0, rank = 0;
  double seconds = absent;   // s per sweep
  double clock_hz = absent;  // core clock right after it, by a dependent-add chain; mean over the cores
  // Conditions that may have disturbed the repetition; absent for GPUs and in older files.
  double cpu_share = absent;      // CPU time over wall time, mean over the threads: below 1 where something else ran instead
  double steal_seconds = absent;  // that a hypervisor took from the threads' CPUs during the repetition, summed over them; by clock ticks
  std::int64_t sweeps = 0;        // of the repetition; 0: not known
  std::string phase = {};         // of an application, whose seconds these are, of all its entries in a sweep; empty: the whole
  bool operator==(const TimeRow&) const = default;
};

/// /counts: one event in one repetition of the counted region.
struct CountRow {
  std::string case_id, node, session, event, backend;
  std::int32_t group = 0, rank = 0, thread = -1, repetition = 0;  // thread -1: summed over the rank's threads
  std::uint64_t raw = 0;                                          // region total as the backend gave it; 0 unless ok
  double net = absent;                                            // per sweep, empty region subtracted, unweighted; a rate's as it is
  std::uint64_t enabled_ns = 0, running_ns = 0;
  Status status = Status::ok;
  std::string phase = {};  // as in /times
  bool operator==(const CountRow&) const = default;
};

/// /model: the exact amount of a quantity in one sweep of a case (lo == hi), or the interval the caches may put it in.
/// `quantity` is a contract name ("flops.fp64.add", "bytes.L1-L2.rfo", totals "flops.fp64", "bytes.L1-L2"),
/// or "paper.flops", "paper.bytes" for the convention of the paper the kernel comes from; of an application on a GPU also "launches", and
/// host_entries.
struct ModelRow {
  std::string case_id, quantity;
  double lo = absent, hi = absent;
  std::string phase = {};  // as in /times
  bool operator==(const ModelRow&) const = default;
};

/// The quantity of the model that tells how many steps of a sweep are the host's; where there are none it is left out.
inline constexpr const char* host_entries = "host_entries";

/// /ceilings: one sample of an attainable rate.
struct CeilingRow {
  std::string name;       // e.g. "L1 load", "FP64 vector FMA"
  std::string precision;  // fp64, fp32, or "-"
  CeilingLevel level;
  std::string pattern;  // load, triad, chase, ... | fma, add, scalar fma, ...
  std::int64_t ranks = 1, threads = 1;
  std::string node, session;
  std::int32_t round = 0;
  double value = absent;
  std::string unit;  // GFLOP/s, GB/s (algorithmic bytes), seconds (less is better)
  Status status = Status::ok;
  std::string method;                 // how: kernel flavor, form, GPU; of messages both ends, and the library
  double working_set_bytes = absent;  // bytes touched by the whole team; NaN for compute
  double clock_hz = absent;
  std::string scope = {};  // what the team fills: core, NUMA domain, socket, node; GPU: a GPU's ceiling; empty where none of them
  // Conditions that may have disturbed the sample, taken from the worst thread of the team.
  double sentinel = absent;   // independent integer additions a clock beside it: fewer where another hardware thread shares the core
  double cpu_share = absent;  // CPU time over wall time: below 1 where something else ran instead
  std::int64_t involuntary_switches = 0;  // of all threads of a rank
  // The loop's name where several loops measure the same ceiling, as "bumped v4"; empty for the plan's own. `name` then ends with it:
  // "load, bumped v4".
  std::string form = {};
  std::string reason = {};         // why it is not ok; in files of before it had a column it ends `method`
  std::int32_t device = 0;         // of a GPU's ceiling which of the node's GPUs (core/gpu_device.hpp)
  std::string peer = {};           // of messages the node at the other end, which may be `node`
  double power_watts = absent;     // of a GPU during a sustained sample, mean over readings of its driver; NaN elsewhere
  double sample_seconds = absent;  // how long a sustained sample was; NaN elsewhere
  bool operator==(const CeilingRow&) const = default;
};

/// The way in which a sample was measured and, where it is not ok, why not: "gcc12-O3-v3: wrong result: ...".
std::string how_and_why(const CeilingRow& row);

/// /remeasured: one sample of a suspicious case, or of a ceiling's point, taken again on a suspect node and on like nodes beside it (pass
/// "again"). Samples of one turn were taken next to each other.
struct RemeasuredRow {
  std::string case_id, node, session;
  std::int32_t turn = 0, repetition = 0;
  double seconds = absent;   // s per sweep of the team
  double clock_hz = absent;  // as in /times
  bool operator==(const RemeasuredRow&) const = default;
};

/// /profile: a part of a program that was profiled, or all of it. Its columns are keys of the rows of plumbline-profile/1. What a kind of
/// part does not have is absent, empty or -1.
struct ProfileRow {
  std::string kind;  // total function loop region rank thread process kernel copies
  std::string name;
  std::int64_t rank = -1, thread = -1;
  double seconds = absent, seconds_lo = absent, seconds_hi = absent;  // that cores took which did it at once count once
  double share = absent, share_lo = absent, share_hi = absent;        // of all samples, with the interval that their number leaves
  double gflops = absent;
  std::string levels;  // JSON: by level the boundary, bytes and ai
  std::string bound, bound_ceiling;
  double percent_of_roof = absent;
  std::string object;       // file that it lies in
  std::string function;     // that a loop is in
  std::string case_id;      // of the row in /cases that has its times and counts
  std::string host;         // that a rank ran on
  std::int64_t pid = -1;    // of a process, or of the one that a thread is of
  double samples = absent;  // that met it
  double cpu_seconds = absent, mpi_seconds = absent, cores = absent, imbalance = absent, fma = absent;
  double entries = absent;  // of a region, how often it was entered
  double instructions = absent, flops = absent;
  std::string counts;  // JSON: by event how often it was counted
  std::string reuse;   // JSON: its distances of reuse; empty where none were counted
  // The columns of GPUs' kernels, of regions with such, and of all of them follow.
  std::string symbol, chip, device, time_region;                                      // device: that a rank's kernels ran on
  double launches = absent, graph_launches = absent, counted_launches = absent;       // counted ones: of which the counts are
  double longest_seconds = absent, overhead_seconds = absent, wall_seconds = absent;  // wall: from start to end, or while it was open
  double number = absent, bytes = absent;                                             // of copies and settings of memory
  Status status = Status::ok;
  std::string reason;
  bool operator==(const ProfileRow&) const = default;
};

/// /machine: the JSON document of one node.
struct MachineRow {
  std::string node, json;
  bool operator==(const MachineRow&) const = default;
};

/// /intensity: a case on a node at one level; a case without any level has one row, whose level is empty. Where a number is absent (NaN)
/// the status is not ok, and the reason says why.
struct IntensityRow {
  std::string case_id, node;
  std::string phase;                                   // of an application; empty: the whole case
  std::string level;                                   // L1 L2 L3 mem; of a GPU L1 shared L2 mem
  double flops = absent, bytes = absent;               // per sweep, whole team
  double ai = absent, ai_lo = absent, ai_hi = absent;  // flop/byte across the level's boundary towards the core
  double gflops = absent;
  std::string bound;                // of the case: a level, or "compute"
  double percent_of_roof = absent;  // of the case under that bound
  std::string counter, grade;       // behind the bytes; empty where only the model speaks. The grade is as `score` gives it; "-": undecided
  std::string join;                 // how counts came to times: same transferred model none
  Status status = Status::ok;
  std::string reason;
  bool operator==(const IntensityRow&) const = default;
};

/// The table and its mark. Nothing is judged by it: it is computed anew from what was measured.
struct Intensities {
  std::string derived_by = {};  // program and version
  std::string reason = {};      // why there are no rows; mostly empty
  std::vector<IntensityRow> rows = {};
};

/// The case and model rows that append() has already met, so that it need not search the tables. Nobody else needs them.
struct SeenRows {
  std::unordered_set<std::string> cases, model;
  std::size_t case_rows = 0, model_rows = 0;  // how many rows of the tables the sets know
};

/// Everything a result file holds.
struct Results {
  std::string provenance;  // JSON
  std::string campaign;    // TOML text
  std::vector<CaseRow> cases;
  std::vector<OutcomeRow> outcomes;
  std::vector<TimeRow> times;
  std::vector<CountRow> counts;
  std::vector<ModelRow> model;
  std::vector<CeilingRow> ceilings;
  std::vector<MachineRow> machines;
  std::vector<RemeasuredRow> remeasured = {};
  std::vector<ProfileRow> profile = {};  // of a program that was profiled; of all others empty
  SeenRows seen = {};
};

/// The rows that one finished unit of work, a (case, node, pass), adds to Results. They are one journal record.
struct Finished {
  CaseRow case_row;
  OutcomeRow outcome;
  std::vector<TimeRow> times;
  std::vector<CountRow> counts;
  std::vector<ModelRow> model;
  std::vector<CeilingRow> ceilings;  // filled by the ceilings stage; then case_row.id names the stage
  std::vector<RemeasuredRow> remeasured = {};
};

/// Appends a finished unit to the tables; a case or model row that is already there is not repeated.
/// A stage that is no case (the ceilings: case_row without kernel) leaves no row in /cases.
void append(Results& results, Finished finished);

/// Makes every phase of an application a case among the others, with its phase_id(): it is judged, compared and shown as they are. Its
/// outcomes are the whole's. A phase of a case on GPUs that is the host's is one of as many ranks and threads, without a GPU.
void make_phases_cases(Results& results);
/// Leaves the rows of whole cases alone.
void leave_out_phases(Results& results);

}  // namespace plumbline
