#include "real_faults.hpp"

#include <algorithm>
#include <stdexcept>

namespace plumbline::test {
namespace {

struct RealLimit {
  const char* fault;
  double limit;
  std::vector<double> curve;
};

/// The limits are set by what eight seeds missed and by the number of cases. Twenty seeds above these limits are in
/// tests/golden/scoring_real_known.json; the curves can be drawn by scoring_real_limits.
const std::vector<RealLimit>& real_limits() {
  static const std::vector<RealLimit> all{
      {"factor on FLOPs", 0.015, {0.005, 0.01, 0.015, 0.05}},
      {"factor on bytes", 0.08, {0.02, 0.05, 0.08, 0.2}},
      {"loads only", 0.4, {0.1, 0.2, 0.4, 1}},
      {"no reads for ownership", 0.4, {0.1, 0.2, 0.4, 1}},
      {"demand only", 0.6, {0.2, 0.4, 0.6, 0.9}},
      {"offset on FLOPs", 0.003, {0.0003, 0.001, 0.003, 0.1}},
      {"offset on bytes", 0.05, {0.01, 0.02, 0.05, 0.3}},
      {"saturating", 4, {1.2, 2, 4, 30}},
      {"occasional loss of FLOPs", 0.1, {0.01, 0.02, 0.05, 0.1, 0.2}},
      {"occasional loss of bytes", 0.1, {0.01, 0.02, 0.05, 0.1, 0.2}},
      {"multiplex-scaled", 0.08, {0.02, 0.04, 0.08, 0.3}},
      {"leaking from another thread", 0.1, {0.01, 0.05, 0.1, 1}},
      {"wrong when grouped", 0.01, {0.003, 0.006, 0.01, 0.1}},
  };
  return all;
}

std::vector<Fault> known() {
  std::vector<Fault> faults = known_faults();
  for (const RealLimit& real : real_limits()) {
    const auto fault = std::find_if(faults.begin(), faults.end(), [&](const Fault& one) { return one.name == real.fault; });
    if (fault == faults.end()) throw std::logic_error(std::string("no fault is called ") + real.fault);
    fault->limit = real.limit;
    fault->curve = real.curve;
  }
  return faults;
}

}  // namespace

const std::vector<Fault>& known_faults_on_real_path() {
  static const std::vector<Fault> all = known();
  return all;
}

const std::vector<Fault>& unseen_faults_on_real_path() {
  static const std::vector<Fault> all = [] {
    std::vector<Fault> faults = unseen_faults();
    std::erase_if(faults, [](const Fault& one) { return one.name == "one core of a socket-wide pair"; });
    return faults;
  }();
  return all;
}

}  // namespace plumbline::test
