// Each case has a place on the hierarchical roofline (Williams et al. 2009; levels after Ilic et al. 2014 and Yang 2019): its arithmetic
// intensity at every level, the roof above it, what bounds it, and how near it comes.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/counter_set.hpp"
#include "core/profiler_metric.hpp"
#include "model/cases/measured.hpp"
#include "model/ceilings/ceilings.hpp"
#include "model/placement/compute_roof.hpp"
#include "model/placement/fma_mix.hpp"
#include "model/placement/shortfall.hpp"
#include "model/placement/traffic.hpp"

namespace plumbline {

/// The traffic across a level's boundary towards the core, and FLOPs over it.
struct LevelIntensity {
  // L1: reg-L1, L2: L1-L2, L3: L2-L3, mem: L3-mem; of a GPU L1, shared: reg-shared, L2, mem: L2-mem, system: host-dev.
  std::string level = {};
  double bytes = absent;  // per sweep, whole team; absent where it may be all or nothing
  double bytes_lo = absent, bytes_hi = absent;
  double bandwidth_gbs = absent;                       // of the roof over it, in the bytes that cross the boundary
  double ai = absent, ai_lo = absent, ai_hi = absent;  // flop/byte; a bound is absent where no traffic can be ruled out
  std::string source = {};                             // of the bytes: emulated | hardware | model; empty where there are none
  std::string metrics = {};                            // another profiler's, by which the bytes were counted; else empty
  Status status = Status::ok;                          // of the intensity
  std::string reason = {};

  bool is_interval() const { return bytes_lo < bytes_hi; }
};

struct RooflinePlacement {
  const CaseRow* of = nullptr;
  std::string node = {};
  double seconds = absent, flops = absent, gflops = absent;  // per sweep, whole team
  std::vector<LevelIntensity> levels = {};
  std::string bound = {};           // level or "compute"; empty when there is none
  std::string bound_ceiling = {};   // name of the ceiling that limits
  std::string exceeded = {};        // the last cache, where the working set is far beyond it, and was counted as if not: it binds nothing
  std::string roof_precision = {};  // of most of its arithmetic: "tensor.bf16" where tensor cores do it, else the case's
  double roof_gflops = absent, percent_of_roof = absent;
  FmaMixes fma_mixes = {};                                              // by precision, of those counters that tell them apart
  ArithmeticMix mix = {};                                               // its FLOPs by precision, with their kinds where they are known
  ComputeRoof compute = {};                                             // over that mix, whatever bounds the case
  double partial_fma_gflops = absent, percent_of_partial_fma = absent;  // the FMA peak times what equation 7 (fma_mix.hpp) leaves of it
  double launches = absent, overhead_seconds = absent;                  // of a sweep on each GPU, and the least that all of them take
  InstructionsSeen instructions = {};
  double working_set_bytes = absent;  // distinct bytes touched, by the model
  bool bound_is_certain = false;      // else it is by the least traffic, and with more there is another bound or a higher percentage
  std::vector<int> gpus = {};         // of the node's, that the case ran on
  Status bound_status = Status::unavailable;
  std::string bound_reason = {};            // why there is no bound
  std::optional<Shortfall> shortfall = {};  // of a case far below its roof
  std::string above_roof = {};              // why it may be above it, of a case that is
  Join join = Join::none;
  std::string bytes_source = {};  // emulated | hardware | model; mixed: each level says its own; another profiler's name
  Status status = Status::ok;
  std::string reason = {};
  std::vector<std::string> notes = {};                    // which ceilings stand in for missing ones, transferred counts, oversubscription
  std::map<std::string, double> flops_by_precision = {};  // as in Traffic
  std::string convention = {};                            // as in Traffic
  std::vector<Disagreement> disagreements = {};           // between them
};

/// Places by a chosen set's counters where a case was counted by them, each intensity with the interval of their scores. `profilers`
/// says what the metrics of imported cases stand for.
std::vector<RooflinePlacement> place(const Measurements& measurements, std::span<const Ceiling> ceilings, const CounterSet* set = nullptr,
                                     std::span<const ProfilerMetrics> profilers = {});

}  // namespace plumbline
