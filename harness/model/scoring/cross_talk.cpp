#include "model/scoring/cross_talk.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace plumbline {
namespace {

/// A sum of flows explains a counter when no more than this part of the traffic is left over.
constexpr double good_fit = 0.15;
/// A flow that is seen by less than this is not worth a word.
constexpr double least_weight = 0.1;
constexpr double sure = 5;  // standard errors

/// Intervals up to this part of the traffic are taken by their middle.
constexpr double widest = 0.1;

std::vector<std::string> flops_by_precision(const Columns& columns) {
  std::vector<std::string> totals;
  for (const auto& name : columns.quantities_below("flops."))
    if (name.find('.', std::string("flops.").size()) == std::string::npos) totals.push_back(name);
  return totals;
}

bool claims(const Counter& counter, const std::string& family, const std::string& flow) {
  return std::any_of(counter.quantities.begin(), counter.quantities.end(), [&](const auto& q) { return q == flow || q == family; });
}

/// Flows that always go together: none can be told from another, but all of them from the rest.
struct FlowGroup {
  std::string name = {};  // "bytes.L1-L2.rfo/write_back"
  std::vector<std::size_t> flows = {};
  double claimed_part = 0;  // of their amounts, taken by their lengths
};

struct Joined {
  std::vector<FlowGroup> groups = {};

  std::vector<double> sums_of(const std::vector<double>& row) const {
    std::vector<double> sums;
    for (const auto& group : groups) {
      sums.push_back(0);
      for (const std::size_t flow : group.flows) sums.back() += row[flow];
    }
    return sums;
  }
};

bool go_together(const NormalEquations& sums, std::size_t i, std::size_t j) {
  constexpr double apart = 0.03;  // as told apart (is_told_apart)
  const double lengths = sums.gram(i, i) * sums.gram(j, j);
  return lengths > 0 && sums.gram(i, j) * sums.gram(i, j) > (1 - apart * apart) * lengths;
}

Joined joined_flows(const std::vector<std::string>& flows, const Counter& counter, const std::string& family, const NormalEquations& sums) {
  Joined joined;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto found = std::find_if(joined.groups.begin(), joined.groups.end(),
                                    [&](const FlowGroup& group) { return go_together(sums, group.flows.front(), i); });
    if (found == joined.groups.end()) {
      joined.groups.push_back({flows[i], {i}});
    } else {
      found->name += "/" + flows[i].substr(flows[i].rfind('.') + 1);
      found->flows.push_back(i);
    }
  }
  for (auto& group : joined.groups) {
    double all = 0;
    for (const std::size_t flow : group.flows) {
      const double length = std::sqrt(sums.gram(flow, flow));
      all += length;
      if (claims(counter, family, flows[flow])) group.claimed_part += length;
    }
    if (all > 0)
      group.claimed_part /= all;
    else
      group.claimed_part = claims(counter, family, flows[group.flows.front()]);
  }
  return joined;
}

/// The weight with which a claimed flow is seen as it should be: once, or, where none is, as the one that is seen most.
double claimed_weight(const std::vector<SeenFlow>& flows) {
  double most = 0;
  for (const auto& flow : flows) {
    if (!flow.claimed) continue;
    if (std::abs(flow.weight - 1) < least_weight) return 1;
    most = std::max(most, flow.weight);
  }
  return most;
}

}  // namespace

std::vector<const SeenFlow*> CrossTalk::unclaimed_but_seen() const {
  std::vector<const SeenFlow*> seen;
  const double as_claimed = claimed_weight(flows);
  for (const auto& flow : flows) {
    const double beyond = flow.weight - (flow.claimed ? 1.25 * as_claimed : least_weight);
    if (residual <= good_fit && flow.told_apart && beyond > 0 && flow.weight > sure * flow.error) seen.push_back(&flow);
  }
  return seen;
}

std::vector<const SeenFlow*> CrossTalk::claimed_but_unseen() const {
  const double as_claimed = claimed_weight(flows);
  std::vector<const SeenFlow*> unseen;
  for (const auto& flow : flows) {
    const double error = std::isfinite(flow.error) ? flow.error : 0;
    if (residual <= good_fit && flow.claimed && flow.told_apart && flow.weight + sure * error < 0.75 * as_claimed) unseen.push_back(&flow);
  }
  return unseen;
}

FlowFamilies::FlowFamilies(const Columns& columns) {
  families_.push_back({"flops", flops_by_precision(columns), {}, {}});
  for (const char* boundary :
       {"bytes.reg-L1", "bytes.L1-L2", "bytes.L2-L3", "bytes.L3-mem", "bytes.reg-shared", "bytes.L2-mem", "bytes.host-dev"})
    families_.push_back({boundary, columns.quantities_below(std::string(boundary) + "."), {}, {}});
  for (auto& family : families_) {
    std::vector<std::size_t> numbers;
    for (const auto& flow : family.flows) numbers.push_back(columns.quantity(flow));
    family.rows.resize(columns.cases());
    family.totals.resize(columns.cases());
    for (std::size_t at = 0; at < columns.cases(); ++at) {
      std::vector<double> row;
      double width = 0, top = 0;
      for (const std::size_t number : numbers) {
        const Bounds amount = columns.bounds(at, number);
        const bool modelled = std::isfinite(amount.hi);  // a flow of which a model does not speak is none of its kernel's
        row.push_back(modelled ? (amount.lo + amount.hi) / 2 : 0);
        width += modelled ? amount.hi - amount.lo : 0;
        top += modelled ? amount.hi : 0;
      }
      if (!(top > 0) || width > widest * top) continue;
      for (const double amount : row) family.totals[at] += amount;
      family.rows[at] = std::move(row);
    }
  }
}

const FlowFamilies::Family* FlowFamilies::family_of(const Counter& counter) const {
  for (const auto& family : families_) {
    const bool whole = family.name == "flops";
    if (family.flows.empty() || counter.quantities.empty()) continue;
    if (std::all_of(counter.quantities.begin(), counter.quantities.end(), [&](const std::string& q) {
          return std::find(family.flows.begin(), family.flows.end(), q) != family.flows.end() || (!whole && q == family.name);
        }))
      return &family;
  }
  return nullptr;
}

NormalEquations FlowFamilies::equations(const Family& family, const Family& own, const std::vector<Evidence>& evidence) const {
  NormalEquations sums(family.flows.size());
  std::vector<double> scaled;
  for (const auto& one : evidence) {
    if (family.rows[one.at].empty() || own.rows[one.at].empty() || !(one.measured >= 0)) continue;
    const double scale = std::max(one.measured, own.totals[one.at]);
    scaled.clear();
    for (const double amount : family.rows[one.at]) scaled.push_back(amount / scale);
    sums.add(scaled, one.measured / scale);
  }
  return sums;
}

CrossTalk FlowFamilies::fit(const Counter& counter, const std::vector<Evidence>& evidence) const {
  const Family* own = family_of(counter);
  if (own == nullptr) return {};
  const Joined joined = joined_flows(own->flows, counter, own->name, equations(*own, *own, evidence));
  Family together{own->name, {}, own->rows, own->totals};
  for (auto& row : together.rows) row = row.empty() ? row : joined.sums_of(row);
  together.flows.resize(joined.groups.size());
  const NormalEquations sums = equations(together, together, evidence);
  const NonNegativeFit fitted = fit_non_negative(sums);
  CrossTalk talk{.family = own->name, .cases = sums.rows()};
  if (sums.rows() < 2 * own->flows.size()) return talk;
  talk.residual = fitted.residual;
  for (std::size_t i = 0; i < joined.groups.size(); ++i) {
    const FlowGroup& group = joined.groups[i];
    const bool claimed = group.claimed_part > 0;
    const double as_claimed = claimed ? group.claimed_part : 1;
    talk.flows.push_back({group.name, claimed, is_told_apart(sums, i), fitted.weights[i] / as_claimed, fitted.errors[i] / as_claimed});
  }
  if (talk.residual <= good_fit || own->name == "flops") return talk;
  for (const auto& other : families_) {
    if (&other == own || other.name == "flops" || other.flows.empty()) continue;
    const NormalEquations others = equations(other, *own, evidence);
    if (2 * others.rows() < sums.rows() || others.rows() < 2 * other.flows.size()) continue;
    const NonNegativeFit by_other = fit_non_negative(others);
    const double residual = by_other.residual;
    // A counter that counted nothing in the cases that both speak of follows anything.
    if (std::none_of(by_other.weights.begin(), by_other.weights.end(), [](double weight) { return weight > least_weight; })) continue;
    if (residual > 0.3 * talk.residual || residual > good_fit || residual >= (talk.nearer.empty() ? 1 : talk.nearer_residual)) continue;
    talk.nearer = other.name;
    talk.nearer_residual = residual;
  }
  return talk;
}

}  // namespace plumbline
