// The counters of the real path, counted and judged: sweeps under the emulator, read by PAPI in event sets, stored as rows, scored.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/measured.hpp"
#include "trial.hpp"
#include "wrong_events.hpp"

namespace plumbline::test {

/// Why nothing can be counted or judged here; empty where it can.
std::string what_is_missing(const RealCampaign& campaign);

/// The rows of all cases, as the case runner stores them: this same program, as worker, one pass of the case for each event set. A case
/// that fails throws.
Results counted(const RealCampaign& campaign);

/// What of the counts a counter is judged by.
class RealCounts {
 public:
  explicit RealCounts(Results results);
  /// At O0 a compiler loads and stores each variable anew, and a vectorized stencil loads its neighbours in as many pieces as the compiler
  /// likes; no model of the arrays has that. So who claims references is held against optimized series, triads and dots alone.
  const Measurements& of(const MadeCounter& made) const;
  const Measurements& all() const { return all_; }

 private:
  Results results_, few_results_;
  Measurements all_, few_;
};

std::vector<Tried> judged(const Trial& trial, const RealCounts& counts);

}  // namespace plumbline::test
