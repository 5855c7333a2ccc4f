#include "model/ceilings/ert_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

namespace plumbline {
namespace {

/// A kind of the paper's table: the form of ert/compiled, and the pattern of the ceilings (ert/peak) that it is held against.
struct FlopKind {
  const char* name;
  const char* form;
  const char* pattern;
};
constexpr std::array kinds{FlopKind{"vector FMA", "fma", "fma"}, FlopKind{"vector add", "add", "add"},
                           FlopKind{"scalar FMA", "scalar_fma", "scalar fma"}, FlopKind{"scalar add", "scalar_add", "scalar add"}};

std::size_t order_of(const std::string& kind) {
  return static_cast<std::size_t>(std::find_if(kinds.begin(), kinds.end(), [&](const FlopKind& k) { return kind == k.name; }) -
                                  kinds.begin());
}

/// The value of a parameter in a work id, ".../k=8/..."; empty when it is not there.
std::string parameter_of(const std::string& work, const std::string& name) {
  const std::string head = "/" + name + "=";
  const std::size_t at = work.find(head);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + head.size();
  return work.substr(begin, work.find('/', begin) - begin);
}

std::int64_t integer_of(const std::string& text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string isa_of_flavor(const std::string& flavor) { return flavor.substr(flavor.rfind('-') + 1); }

bool is_of(const Ceiling& c, const ErtSample& s) {
  return c.status == Status::ok && c.node == s.node && c.ranks == s.ranks && c.threads == s.threads;
}

/// The ceiling of the flavor's own ISA where that was measured apart ("FP64 vector FMA (v3)"), else of the machine's widest.
const Ceiling* arithmetic_ceiling(std::span<const Ceiling> ceilings, const ErtSample& sample) {
  const std::string pattern = kinds[order_of(sample.kind)].pattern, own = " (" + isa_of_flavor(sample.flavor) + ")";
  const Ceiling* widest = nullptr;
  for (const Ceiling& c : ceilings) {
    if (!is_of(c, sample) || !c.is_compute() || c.pattern != pattern || c.precision != sample.precision) continue;
    if (c.name.ends_with(own)) return &c;
    if (!c.name.ends_with(")")) widest = &c;
  }
  return widest;
}

/// The ceiling of one load and one store of each element.
const Ceiling* bandwidth_ceiling(std::span<const Ceiling> ceilings, const ErtSample& sample, const std::string& level) {
  const auto found = std::find_if(ceilings.begin(), ceilings.end(),
                                  [&](const Ceiling& c) { return is_of(c, sample) && c.level == level && c.pattern == "update"; });
  return found == ceilings.end() ? nullptr : &*found;
}

bool was_measured(const ErtSample& sample) { return sample.status == Status::ok && std::isfinite(sample.gflops); }

/// The best of the samples that `takes` takes; without one the reason is the first failure's, or `otherwise`.
template <class Takes>
ErtRate best_of(std::span<const ErtSample> samples, double ErtSample::*value, const std::string& otherwise, Takes takes) {
  ErtRate best{.reason = otherwise};
  for (const ErtSample& sample : samples) {
    if (!takes(sample)) continue;
    if (was_measured(sample)) {
      if (!(sample.*value <= best.value))
        best = {.value = sample.*value, .k = sample.k, .working_set_bytes = sample.working_set_bytes, .status = Status::ok};
    } else if (best.status != Status::ok && best.reason == otherwise) {
      best.status = sample.status;
      best.reason = sample.reason;
    }
  }
  return best;
}

void hold_against(ErtRate& rate, const Ceiling* ceiling) {
  if (ceiling == nullptr) return;
  rate.ceiling = ceiling->value;
  rate.ceiling_name = ceiling->name;
}

using Place = std::pair<std::string, std::string>;  // case id, node

/// The numbers that a rate is made of: the paper's counts of one rank's sweep, the fastest repetition of the team.
struct Tables {
  std::map<std::string, std::map<std::string, double>> model;  // case -> paper.flops, paper.bytes
  std::map<Place, double> seconds;
  std::map<std::string, std::vector<const OutcomeRow*>> outcomes;  // of the timing pass
};

Tables index(const Results& results) {
  Tables tables;
  for (const auto& row : results.model)
    if (row.quantity.starts_with("paper.")) tables.model[row.case_id][row.quantity] = row.lo;
  for (const auto& row : results.times) {
    if (row.rank != -1 || !(row.seconds > 0)) continue;
    const auto [at, is_new] = tables.seconds.try_emplace({row.case_id, row.node}, row.seconds);
    if (!is_new) at->second = std::min(at->second, row.seconds);
  }
  for (const auto& row : results.outcomes)
    if (row.pass == "time") tables.outcomes[row.case_id].push_back(&row);
  return tables;
}

std::optional<ErtSample> described(const CaseRow& row) {
  if (row.kernel != "ert/compiled") return std::nullopt;
  const std::string form = parameter_of(row.work, "form");
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const FlopKind& k) { return form == k.form; });
  if (kind == kinds.end()) return std::nullopt;
  const double element_bytes = row.precision == "fp32" ? 4 : 8;
  return ErtSample{.kind = kind->name,
                   .precision = row.precision,
                   .flavor = row.flavor,
                   .ranks = row.ranks,
                   .threads = row.threads,
                   .k = integer_of(parameter_of(row.work, "k")),
                   .working_set_bytes = static_cast<double>(row.ranks * integer_of(parameter_of(row.work, "n"))) * element_bytes};
}

void take_rates(ErtSample& sample, const Tables& tables, const CaseRow& row) {
  const auto seconds = tables.seconds.find({row.id, sample.node});
  const auto model = tables.model.find(row.id);
  if (seconds == tables.seconds.end() || model == tables.model.end()) {
    sample.status = Status::unavailable;
    sample.reason = seconds == tables.seconds.end() ? "no time was stored" : "the file says nothing of the case's work";
    return;
  }
  const double sweeps_per_ns = static_cast<double>(row.ranks) / seconds->second * 1e-9;
  sample.gflops = model->second.at("paper.flops") * sweeps_per_ns;
  sample.gbs = model->second.at("paper.bytes") * sweeps_per_ns;
}

/// A group of rows: what the rows of one table have in common, in the order of the tables; then what its rows have in common.
using ErtGroup = std::tuple<std::string, std::int64_t, std::int64_t, std::size_t, bool>;

ErtGroup group_of(const ErtSample& s) { return {s.node, s.ranks, s.threads, order_of(s.kind), s.precision != "fp64"}; }

}  // namespace

std::vector<LevelRange> level_ranges(std::span<const Ceiling> ceilings, const std::string& node, std::int64_t ranks, std::int64_t threads) {
  constexpr double partly_in = 2, partly_in_last = 3;
  std::vector<LevelRange> ranges;
  double previous = 0;
  const auto is_level = [&](const Ceiling& c) {
    return c.status == Status::ok && c.node == node && c.ranks == ranks && c.threads == threads && c.pattern == "load" && c.unit == "GB/s";
  };
  for (const Ceiling& c : ceilings) {
    if (!is_level(c) || c.level.word().size() != 2 || c.level.word().front() != 'L') continue;
    ranges.push_back({c.level, partly_in * previous, c.size_bytes});
    previous = c.size_bytes;
  }
  if (std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& c) { return is_level(c) && c.level == "mem"; }))
    ranges.push_back({"mem", partly_in_last * previous, HUGE_VAL});
  return ranges;
}

std::vector<ErtSample> ert_samples(const Results& results) {
  const Tables tables = index(results);
  std::vector<ErtSample> samples;
  for (const CaseRow& row : results.cases) {
    const auto sample = described(row);
    const auto outcomes = tables.outcomes.find(row.id);
    if (!sample || outcomes == tables.outcomes.end()) continue;
    for (const OutcomeRow* outcome : outcomes->second) {
      ErtSample& added = samples.emplace_back(*sample);
      added.node = outcome->node;
      added.status = outcome->status;
      added.reason = outcome->reason;
      if (added.status == Status::ok) take_rates(added, tables, row);
    }
  }
  return samples;
}

ErtRow ert_row(std::span<const ErtSample> samples, std::span<const LevelRange> levels, std::span<const Ceiling> ceilings) {
  const ErtSample& any = samples.front();
  ErtRow row{
      .kind = any.kind, .precision = any.precision, .flavor = any.flavor, .node = any.node, .ranks = any.ranks, .threads = any.threads};
  row.flops = best_of(samples, &ErtSample::gflops, "no case was measured", [](const ErtSample&) { return true; });
  hold_against(row.flops, arithmetic_ceiling(ceilings, any));
  std::int64_t smallest_k = any.k;
  double largest = 0;  // working set
  for (const ErtSample& s : samples) {
    smallest_k = std::min(smallest_k, s.k);
    largest = std::max(largest, s.working_set_bytes);
  }
  for (const LevelRange& level : levels) {
    ErtRate rate = best_of(samples, &ErtSample::gbs, "no working set of the campaign lies in " + level.name, [&](const ErtSample& s) {
      const bool inside = s.working_set_bytes > level.above && s.working_set_bytes <= level.up_to;
      return s.k == smallest_k && inside && (!std::isinf(level.up_to) || s.working_set_bytes == largest);
    });
    hold_against(rate, bandwidth_ceiling(ceilings, any, level.name));
    row.levels.emplace_back(level.name, std::move(rate));
  }
  return row;
}

ErtRow ert_max(std::span<const ErtRow> rows) {
  ErtRow best = rows.front();
  best.flavor = "Max";
  best.is_max = true;
  const auto take = [](ErtRate& mine, const ErtRate& other) {
    if (other.status == Status::ok && !(other.value <= mine.value)) mine = other;
  };
  for (const ErtRow& row : rows.subspan(1)) {
    take(best.flops, row.flops);
    for (const auto& [level, rate] : row.levels) {
      const auto mine = std::find_if(best.levels.begin(), best.levels.end(), [&, name = level](const auto& l) { return l.first == name; });
      if (mine == best.levels.end())
        best.levels.emplace_back(level, rate);
      else
        take(mine->second, rate);
    }
  }
  return best;
}

std::vector<ErtRow> ert_table(const Results& results, std::span<const Ceiling> ceilings) {
  std::map<ErtGroup, std::map<std::string, std::vector<ErtSample>>> groups;  // by flavor
  for (const ErtSample& sample : ert_samples(results)) groups[group_of(sample)][sample.flavor].push_back(sample);
  std::vector<ErtRow> table;
  for (const auto& [group, flavors] : groups) {
    const auto& [node, ranks, threads, kind, narrow] = group;
    const std::vector<LevelRange> levels = level_ranges(ceilings, node, ranks, threads);
    std::vector<ErtRow> rows;
    for (const auto& [flavor, samples] : flavors) rows.push_back(ert_row(samples, levels, ceilings));
    rows.push_back(ert_max(rows));
    table.insert(table.end(), rows.begin(), rows.end());
  }
  return table;
}

}  // namespace plumbline
