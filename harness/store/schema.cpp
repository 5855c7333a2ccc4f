#include "store/schema.hpp"

namespace plumbline {
namespace {

constexpr Column<CaseRow> case_columns[] = {
    {"row", &CaseRow::row, "1", "place of the case in this table", "none", Since::extension},
    {"id", &CaseRow::id, "", "stable name of the case", ""},
    {"work", &CaseRow::work, "", "case id without team and flavor", ""},
    {"kernel", &CaseRow::kernel, "", "suite/kernel", ""},
    {"precision", &CaseRow::precision, "", "arithmetic type", ""},
    {"flavor", &CaseRow::flavor, "", "compiler, optimization level and instruction set", ""},
    {"ranks", &CaseRow::ranks, "1", "MPI ranks in the team", "none"},
    {"threads", &CaseRow::threads, "1", "threads of each rank", "none"},
    {"params", &CaseRow::params, "", "parameters, JSON in declared order", ""},
    {"gpus", &CaseRow::gpus, "1", "GPUs of the team, which one thread of one rank drives", "none", Since::extension},
};

constexpr Column<OutcomeRow> outcome_columns[] = {
    {"case", &OutcomeRow::case_id, "", "case id", ""},
    {"pass", &OutcomeRow::pass, "", "time, count, or again: outliers among like nodes", ""},
    {"status", &OutcomeRow::status, "", "what became of it", ""},
    {"reason", &OutcomeRow::reason, "", "why it is not ok", ""},
    {"node", &OutcomeRow::node, "", "host name", ""},
    {"placement", &OutcomeRow::placement, "", "ranks, hosts and cores, JSON", ""},
    {"started_unix_ns", &OutcomeRow::started_unix_ns, "ns", "start of the pass since 1970-01-01 UTC", "none"},
    {"session", &OutcomeRow::session, "", "the launch that measured it", ""},
};

constexpr Column<TimeRow> time_columns[] = {
    {"case", &TimeRow::case_id, "", "case id", ""},
    {"node", &TimeRow::node, "", "host name", ""},
    {"session", &TimeRow::session, "", "the launch that measured it", ""},
    {"repetition", &TimeRow::repetition, "1", "number of the sample", "none"},
    {"rank", &TimeRow::rank, "1", "rank in the team, -1 for the whole team", "none"},
    {"seconds", &TimeRow::seconds, "s", "time of one sweep, team's last end minus first start", "lower"},
    {"clock_hz", &TimeRow::clock_hz, "Hz", "core clock observed beside the sample", "higher"},
    {"cpu_share", &TimeRow::cpu_share, "1", "CPU time over wall time of the sample, mean over threads", "higher", Since::extension},
    {"steal_seconds", &TimeRow::steal_seconds, "s", "taken by a hypervisor from the CPUs during the sample, summed over them", "lower",
     Since::extension},
    {"sweeps", &TimeRow::sweeps, "1", "sweeps in the sample, 0 where not known", "none", Since::extension},
    {"phase", &TimeRow::phase, "", "phase of an application, empty for the whole", "", Since::extension},
};

constexpr Column<CountRow> count_columns[] = {
    {"case", &CountRow::case_id, "", "case id", ""},
    {"node", &CountRow::node, "", "host name", ""},
    {"session", &CountRow::session, "", "the launch that counted it", ""},
    {"event", &CountRow::event, "", "event as the backend names it", ""},
    {"backend", &CountRow::backend, "", "who counted", ""},
    {"group", &CountRow::group, "1", "events of one group were counted in one run", "none"},
    {"rank", &CountRow::rank, "1", "rank in the team", "none"},
    {"thread", &CountRow::thread, "1", "thread of the rank, -1 for their sum", "none"},
    {"repetition", &CountRow::repetition, "1", "number of the sample", "none"},
    {"raw", &CountRow::raw, "1", "the backend's total over the region, 0 unless ok", "none"},
    {"net", &CountRow::net, "1", "events of one sweep, empty region subtracted, unweighted", "none"},
    {"enabled_ns", &CountRow::enabled_ns, "ns", "time the event was enabled", "none"},
    {"running_ns", &CountRow::running_ns, "ns", "time the event was counting", "none"},
    {"status", &CountRow::status, "", "what became of it", ""},
    {"phase", &CountRow::phase, "", "phase of an application, empty for the whole", "", Since::extension},
};

constexpr Column<ModelRow> model_columns[] = {
    {"case", &ModelRow::case_id, "", "case id", ""},
    {"quantity", &ModelRow::quantity, "", "what is counted", ""},
    {"lo", &ModelRow::lo, "1", "least amount in one sweep (operations or bytes, by quantity)", "none"},
    {"hi", &ModelRow::hi, "1", "greatest amount in one sweep (operations or bytes, by quantity)", "none"},
    {"phase", &ModelRow::phase, "", "phase of an application, empty for the whole", "", Since::extension},
};

constexpr Column<CeilingRow> ceiling_columns[] = {
    {"name", &CeilingRow::name, "", "name of the ceiling", ""},
    {"precision", &CeilingRow::precision, "", "arithmetic type", ""},
    {"level", &CeilingRow::level, "", "memory level, compute, or sweep", ""},
    {"pattern", &CeilingRow::pattern, "", "access pattern or instruction kind", ""},
    {"ranks", &CeilingRow::ranks, "1", "MPI ranks in the team", "none"},
    {"threads", &CeilingRow::threads, "1", "threads of each rank", "none"},
    {"node", &CeilingRow::node, "", "host name", ""},
    {"session", &CeilingRow::session, "", "the launch that measured it", ""},
    {"round", &CeilingRow::round, "1", "number of the sample", "none"},
    {"value", &CeilingRow::value, "see column unit", "attained rate of one round", "higher"},
    {"unit", &CeilingRow::unit, "", "unit of value", ""},
    {"method", &CeilingRow::method, "", "how it was measured", ""},
    {"status", &CeilingRow::status, "", "what became of it", ""},
    {"working_set_bytes", &CeilingRow::working_set_bytes, "byte", "bytes touched by the whole team", "none", Since::extension},
    {"clock_hz", &CeilingRow::clock_hz, "Hz", "core clock observed beside the sample", "higher", Since::extension},
    {"scope", &CeilingRow::scope, "", "core, NUMA domain, socket or node that the team fills, else the part of the node's cores, or GPU",
     "", Since::extension},
    {"sentinel", &CeilingRow::sentinel, "1", "independent additions a clock beside the sample, worst thread", "higher", Since::extension},
    {"cpu_share", &CeilingRow::cpu_share, "1", "CPU time over wall time of the sample, worst thread", "higher", Since::extension},
    {"involuntary_switches", &CeilingRow::involuntary_switches, "1", "of all threads of a rank during the sample", "lower",
     Since::extension},
    {"form", &CeilingRow::form, "", "which of several loops for the same it is; empty: the plan's own", "", Since::extension},
    {"reason", &CeilingRow::reason, "", "why it is not ok", "", Since::extension},
    {"device", &CeilingRow::device, "1", "of a GPU's ceiling which of the node's GPUs, 0 the first", "none", Since::extension},
    {"peer", &CeilingRow::peer, "", "of messages the node at the other end", "", Since::extension},
    {"power_watts", &CeilingRow::power_watts, "W", "power of the GPU during a sustained sample, mean of its driver's readings", "none",
     Since::extension},
    {"sample_seconds", &CeilingRow::sample_seconds, "s", "how long a sustained sample was", "none", Since::extension},
};

constexpr Column<MachineRow> machine_columns[] = {
    {"node", &MachineRow::node, "", "host name", ""},
    {"json", &MachineRow::json, "", "what the node is, JSON", ""},
};

constexpr Column<RemeasuredRow> remeasured_columns[] = {
    {"case", &RemeasuredRow::case_id, "", "case id", ""},
    {"node", &RemeasuredRow::node, "", "host name", ""},
    {"session", &RemeasuredRow::session, "", "the launch that measured it", ""},
    {"turn", &RemeasuredRow::turn, "1", "samples of one turn were taken next to each other on all nodes that took part", "none"},
    {"repetition", &RemeasuredRow::repetition, "1", "number of the sample in its turn", "none"},
    {"seconds", &RemeasuredRow::seconds, "s", "time of one sweep, team's last end minus first start", "lower"},
    {"clock_hz", &RemeasuredRow::clock_hz, "Hz", "core clock observed beside the sample", "higher"},
};

constexpr Column<ProfileRow> profile_columns[] = {
    {"kind", &ProfileRow::kind, "", "total, function, loop, region, rank, thread, process, kernel or copies", ""},
    {"name", &ProfileRow::name, "", "name of the function, the kernel, the region, the program", ""},
    {"rank", &ProfileRow::rank, "1", "rank that it is of, -1 where it is of none in particular", "none"},
    {"thread", &ProfileRow::thread, "1", "thread that it is of, -1 where it is of none in particular", "none"},
    {"seconds", &ProfileRow::seconds, "s", "time that it took, where cores that did it at once count once", "lower"},
    {"share", &ProfileRow::share, "1", "part of all samples of the native run", "lower"},
    {"share_lo", &ProfileRow::share_lo, "1", "lower end of the interval at 95 % that the number of samples leaves", "lower"},
    {"share_hi", &ProfileRow::share_hi, "1", "upper end of that interval", "lower"},
    {"gflops", &ProfileRow::gflops, "GFLOP/s", "rate of all cores together", "higher"},
    {"levels", &ProfileRow::levels, "", "by level of memory its boundary towards the core, bytes across it and ai, JSON", ""},
    {"bound", &ProfileRow::bound, "", "level that bounds it, or compute", ""},
    {"percent_of_roof", &ProfileRow::percent_of_roof, "percent", "rate over the roof that bounds it", "higher"},
    {"bound_ceiling", &ProfileRow::bound_ceiling, "", "name of the ceiling that bounds it", ""},
    {"object", &ProfileRow::object, "", "file that it lies in", ""},
    {"function", &ProfileRow::function, "", "name of the function that a loop is in", ""},
    {"case", &ProfileRow::case_id, "", "case id, empty where it is no case", ""},
    {"host", &ProfileRow::host, "", "host that a rank ran on", ""},
    {"pid", &ProfileRow::pid, "1", "process that it is of, -1 where it is of none in particular", "none"},
    {"samples", &ProfileRow::samples, "1", "samples of the native run that met it", "none"},
    {"seconds_lo", &ProfileRow::seconds_lo, "s", "lower end of the time's interval, as far as samples leave it open", "lower"},
    {"seconds_hi", &ProfileRow::seconds_hi, "s", "upper end of that interval", "lower"},
    {"cpu_seconds", &ProfileRow::cpu_seconds, "s", "CPU time in user mode of all cores", "lower"},
    {"mpi_seconds", &ProfileRow::mpi_seconds, "s", "CPU time of a rank in user mode in libraries that carry messages", "lower"},
    {"cores", &ProfileRow::cores, "1", "cores that did it at once", "none"},
    {"imbalance", &ProfileRow::imbalance, "1", "its time over that of as many cores with equal parts", "lower"},
    {"fma", &ProfileRow::fma, "1", "FMAs over FMAs, sums and products", "none"},
    {"entries", &ProfileRow::entries, "1", "how often a region was entered", "none"},
    {"instructions", &ProfileRow::instructions, "1", "instructions that ran", "none"},
    {"flops", &ProfileRow::flops, "1", "floating-point operations, an FMA is two", "none"},
    {"counts", &ProfileRow::counts, "", "by event how often it was counted, JSON", ""},
    {"reuse", &ProfileRow::reuse, "", "how often lines of memory came back after how many others, JSON, empty where it was not counted", "",
     Since::extension},
    {"symbol", &ProfileRow::symbol, "", "name of a GPU's kernel as it is linked", "", Since::extension},
    {"chip", &ProfileRow::chip, "", "chip of the GPU that ran a kernel", "", Since::extension},
    {"device", &ProfileRow::device, "", "GPUs that a rank's kernels ran on", "", Since::extension},
    {"time_region", &ProfileRow::time_region, "", "compute, bandwidth or overhead: what most of a kernel's time goes to", "",
     Since::extension},
    {"launches", &ProfileRow::launches, "1", "how often a kernel was launched, or kernels in a region", "none", Since::extension},
    {"graph_launches", &ProfileRow::graph_launches, "1", "launches among them as nodes of CUDA graphs", "none", Since::extension},
    {"counted_launches", &ProfileRow::counted_launches, "1", "launches that were counted, of which the counts are", "none",
     Since::extension},
    {"longest_seconds", &ProfileRow::longest_seconds, "s", "time of a kernel's longest launch", "lower", Since::extension},
    {"overhead_seconds", &ProfileRow::overhead_seconds, "s", "time that a kernel's launches cost at least", "lower", Since::extension},
    {"wall_seconds", &ProfileRow::wall_seconds, "s", "time from start to end, or of a region while it was open", "lower", Since::extension},
    {"number", &ProfileRow::number, "1", "how often memory was copied or set so", "none", Since::extension},
    {"bytes", &ProfileRow::bytes, "byte", "bytes that were copied or set", "none", Since::extension},
    {"status", &ProfileRow::status, "", "ok where it has a place under the roofs, or in a word why not", ""},
    {"reason", &ProfileRow::reason, "", "why it has no place", ""},
};

constexpr Column<IntensityRow> intensity_columns[] = {
    {"case", &IntensityRow::case_id, "", "case id", ""},
    {"node", &IntensityRow::node, "", "host name", ""},
    {"phase", &IntensityRow::phase, "", "phase of an application, empty for the whole", ""},
    {"level", &IntensityRow::level, "", "memory level, empty where the case has none", ""},
    {"flops", &IntensityRow::flops, "1", "floating-point operations of one sweep of the team, an FMA is two", "none"},
    {"bytes", &IntensityRow::bytes, "byte", "bytes of one sweep across the level's boundary towards the core", "none"},
    {"ai", &IntensityRow::ai, "flop/byte", "arithmetic intensity, flops over bytes", "none"},
    {"ai_lo", &IntensityRow::ai_lo, "flop/byte", "least intensity that counters or model leave open", "none"},
    {"ai_hi", &IntensityRow::ai_hi, "flop/byte", "greatest intensity that counters or model leave open", "none"},
    {"gflops", &IntensityRow::gflops, "GFLOP/s", "rate of the case", "higher"},
    {"bound", &IntensityRow::bound, "", "level that bounds the case, or compute", ""},
    {"percent_of_roof", &IntensityRow::percent_of_roof, "percent", "rate of the case over the roof that bounds it", "higher"},
    {"counter", &IntensityRow::counter, "", "counter behind the bytes, empty where only the model speaks", ""},
    {"grade", &IntensityRow::grade, "", "grade of that counter: A trusted to D rejected, - undecided", ""},
    {"join", &IntensityRow::join, "", "how counts came to times: same, transferred, model, none", ""},
    {"status", &IntensityRow::status, "", "ok where no number is absent", ""},
    {"reason", &IntensityRow::reason, "", "why it is not ok", ""},
};

constexpr Table<CaseRow> case_table{"cases", case_columns};
constexpr Table<OutcomeRow> outcome_table{"outcomes", outcome_columns};
constexpr Table<TimeRow> time_table{"times", time_columns};
constexpr Table<CountRow> count_table{"counts", count_columns};
constexpr Table<ModelRow> model_table{"model", model_columns};
constexpr Table<CeilingRow> ceiling_table{"ceilings", ceiling_columns};
constexpr Table<MachineRow> machine_table{"machine", machine_columns};
constexpr Table<RemeasuredRow> remeasured_table{"remeasured", remeasured_columns, Since::extension};
constexpr Table<ProfileRow> profile_table{"profile", profile_columns, Since::extension};
constexpr Table<IntensityRow> intensity_table{"intensity", intensity_columns, Since::extension};

}  // namespace

template <>
const Table<CaseRow>& table_of() {
  return case_table;
}
template <>
const Table<OutcomeRow>& table_of() {
  return outcome_table;
}
template <>
const Table<TimeRow>& table_of() {
  return time_table;
}
template <>
const Table<CountRow>& table_of() {
  return count_table;
}
template <>
const Table<ModelRow>& table_of() {
  return model_table;
}
template <>
const Table<CeilingRow>& table_of() {
  return ceiling_table;
}
template <>
const Table<MachineRow>& table_of() {
  return machine_table;
}
template <>
const Table<RemeasuredRow>& table_of() {
  return remeasured_table;
}
template <>
const Table<ProfileRow>& table_of() {
  return profile_table;
}
template <>
const Table<IntensityRow>& table_of() {
  return intensity_table;
}

}  // namespace plumbline
