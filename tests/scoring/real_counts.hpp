// The counters of the real path are counted and judged: sweeps under the emulator, read by PAPI in event sets, stored as rows, scored.
#pragma once
#include <string>
#include <vector>

#include "core/records.hpp"
#include "model/cases/measured.hpp"
#include "trial.hpp"
#include "wrong_events.hpp"

namespace plumbline::test {

/// Says why nothing can be counted or judged here; empty where it can.
std::string what_is_missing(const RealCampaign& campaign);

/// The rows of all cases, as the case runner stores them: this same program, as worker, one pass of the case for each event set. A case
/// that fails throws.
Results counted(const RealCampaign& campaign);

/// The counts of all cases, ready to be judged.
class RealCounts {
 public:
  explicit RealCounts(Results results);
  const Measurements& measurements() const { return measurements_; }

 private:
  Results results_;
  Measurements measurements_;
};

std::vector<Tried> judged(const Trial& trial, const RealCounts& counts);

}  // namespace plumbline::test
