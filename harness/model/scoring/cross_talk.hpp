// A counter's counts are taken apart into what it really sees: a sum of the model's exact flows, each with a weight that is not negative.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/counter.hpp"
#include "model/cases/columns.hpp"
#include "model/scoring/evidence.hpp"
#include "model/statistics/nonnegative.hpp"

namespace plumbline {

/// A flow of the model with the weight by which it is in a counter's counts.
struct SeenFlow {
  std::string quantity = {};
  bool claimed = false;
  bool told_apart = false;  // these cases move it otherwise than the other flows
  double weight = absent, error = absent;
};

/// The fit of a counter's counts by the flows of its own family, and by a nearer one.
struct CrossTalk {
  std::string family = {};  // whose flows: "bytes.L1-L2", "flops"; empty where the claim has no flows
  std::size_t cases = 0;
  std::vector<SeenFlow> flows = {};
  double residual = absent;  // root mean square, as a part of the traffic
  std::string nearer = {};   // another boundary that the counts follow far better
  double nearer_residual = absent;

  std::vector<const SeenFlow*> unclaimed_but_seen() const;
  std::vector<const SeenFlow*> claimed_but_unseen() const;
};

/// The flows that can make up a counter's claim, looked up once for all counters.
class FlowFamilies {
 public:
  explicit FlowFamilies(const Columns& columns);
  CrossTalk fit(const Counter& counter, const std::vector<Evidence>& evidence) const;

 private:
  struct Family {
    std::string name;
    std::vector<std::string> flows;
    std::vector<std::vector<double>> rows;  // by case: the flows' amounts; empty where the model leaves them open
    std::vector<double> totals;             // by case
  };
  const Family* family_of(const Counter& counter) const;
  NormalEquations equations(const Family& family, const Family& own, const std::vector<Evidence>& evidence) const;

  std::vector<Family> families_;
};

}  // namespace plumbline
