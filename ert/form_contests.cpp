#include "ert/form_contests.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "ert/planned_sweep.hpp"

namespace plumbline {
namespace {

constexpr double contest_far_bytes = 8.0 * MiB;  // a thread
// Inside any L1, inside L2s and L3s of several sizes; the largest working set of a plan is added.
constexpr std::array anchors_full{20.0 * KiB, 160.0 * KiB, 640.0 * KiB, 2.5 * MiB, 6.0 * MiB, 16.0 * MiB};
constexpr std::array anchors_quick{20.0 * KiB, 640.0 * KiB, 6.0 * MiB};

/// Endings of ert/stream's `pattern` that compete, beside the plain word: of the widest ISA all, of others the first of each kind.
struct Competitors {
  std::string_view pattern;
  std::vector<std::string_view> near, far;                // of the widest ISA
  std::vector<std::string_view> near_others, far_others;  // of narrower ones
};
const std::array competitors{
    Competitors{"load", {"bumped", "indexed", "deep", "ahead"}, {"bumped", "deep", "ahead"}, {"", "bumped"}, {"bumped"}},
    Competitors{
        "store", {"bumped", "indexed", "deep", "string"}, {"ahead", "string", "nt", "nt_indexed", "nt_deep", "nt_paged"}, {""}, {"nt"}},
    Competitors{"copy",
                {"bumped", "indexed", "deep", "string"},
                {"ahead", "string", "nt", "nt_deep", "nt_ahead", "nt_paged"},
                {"", "bumped"},
                {"nt", "nt_paged"}},
    Competitors{"update", {"bumped", "deep", "ahead"}, {"deep", "ahead", "paged"}, {"", "deep"}, {"ahead", "paged"}},
    Competitors{"triad",
                {"bumped", "indexed", "deep"},
                {"ahead", "paged", "nt", "nt_deep", "nt_ahead", "nt_paged"},
                {"", "bumped"},
                {"nt", "nt_paged"}},
    Competitors{"loads2store1", {"bumped", "indexed", "deep"}, {"bumped", "ahead", "paged"}, {"", "bumped"}, {"ahead"}},
    Competitors{"store_nt", {}, {"bumped", "indexed", "deep", "paged"}, {}, {""}},
};

double bytes_of_thread(const CeilingCase& c) { return c.working_set_bytes / c.measured.team.threads; }
bool is_far(const CeilingCase& c) { return bytes_of_thread(c) >= contest_far_bytes; }

std::string isa_of(const Flavor& flavor) { return split_flavor(flavor.name).isa; }

/// The flavor of the same compiler and level.
std::optional<Flavor> at_isa(const Kernel& kernel, const Flavor& like, const std::string& isa) {
  const FlavorName wanted = split_flavor(like.name);
  for (const Flavor& flavor : kernel.flavors()) {
    const FlavorName name = split_flavor(flavor.name);
    if (flavor.precision == like.precision && name.compiler == wanted.compiler && name.level == wanted.level && name.isa == isa)
      return flavor;
  }
  return std::nullopt;
}

/// The name of a form, with blanks as in "nt paged"; what has no name is as the compiler makes it.
std::string form_name(std::string_view ending, const std::string& isa) {
  std::string words(ending);
  std::replace(words.begin(), words.end(), '_', ' ');
  if (words == "nt" || words.empty()) words = words.empty() ? "compiled" : "nt compiled";
  return words + " " + isa;
}

CeilingCase candidate_of(const CeilingCase& own, std::string_view ending, const Flavor& flavor) {
  CeilingCase one = own;
  const std::string pattern = own.measured.parameters.word("pattern");
  one.measured.flavor = flavor;
  one.measured.parameters.set("pattern", ending.empty() ? pattern : pattern + "_" + std::string(ending));
  one.form = form_name(ending, isa_of(flavor));
  one.name = own.name + ", " + one.form;
  one.data = own.data_id();
  return one;
}

bool is_written_for_x86(const Flavor& flavor) { return isa_of(flavor).starts_with("v"); }

ContestPlan contest_at(const CeilingCase& own, const Competitors& who, CeilingMode mode, std::span<const std::string> isas) {
  const bool far = is_far(own);
  ContestPlan contest;
  const auto add = [&](std::string_view ending, const Flavor& flavor) {
    if (ending.ends_with("string") && !is_written_for_x86(flavor)) return;
    contest.candidates.push_back(candidate_of(own, ending, flavor));
  };
  add("", own.measured.flavor);
  for (const auto ending : far ? who.far : who.near) add(ending, own.measured.flavor);
  const std::string widest = isa_of(own.measured.flavor);
  int narrower = 0;
  for (auto isa = isas.rbegin(); isa != isas.rend(); ++isa) {
    const auto flavor = *isa == widest ? std::nullopt : at_isa(*own.measured.kernel, own.measured.flavor, *isa);
    if (!flavor || ++narrower > (far || mode == CeilingMode::quick ? 1 : 2)) continue;
    for (const auto ending : far ? who.far_others : who.near_others) add(ending, *flavor);
  }
  return contest;
}

using Sweep = std::vector<const CeilingCase*>;  // of one pattern and team, as the plan has them: ascending

/// The plan's points that are nearest to the anchors, and the largest.
Sweep contested(const Sweep& points, CeilingMode mode) {
  Sweep chosen;
  const auto add = [&](const CeilingCase* point) {
    if (std::find(chosen.begin(), chosen.end(), point) == chosen.end()) chosen.push_back(point);
  };
  const auto nearest = [&](double bytes) {
    return *std::min_element(points.begin(), points.end(), [&](const CeilingCase* a, const CeilingCase* b) {
      return std::abs(std::log(bytes_of_thread(*a) / bytes)) < std::abs(std::log(bytes_of_thread(*b) / bytes));
    });
  };
  const std::span<const double> anchors = mode == CeilingMode::quick ? std::span<const double>(anchors_quick) : anchors_full;
  for (const double bytes : anchors) add(nearest(bytes));
  add(points.back());
  return chosen;
}

void add_bandwidth_contests(CeilingMode mode, std::span<const CeilingCase> plan, std::span<const std::string> isas,
                            std::vector<ContestPlan>& contests) {
  for (std::size_t i = 0, next = 0; i < plan.size(); i = next) {
    Sweep points;
    for (next = i; next < plan.size() && plan[next].level == plan[i].level && plan[next].pattern == plan[i].pattern &&
                   plan[next].measured.team == plan[i].measured.team;
         ++next)
      points.push_back(&plan[next]);
    const auto who = std::find_if(competitors.begin(), competitors.end(), [&](const auto& c) { return c.pattern == plan[i].pattern; });
    if (plan[i].level != CeilingKind::sweep || who == competitors.end()) continue;
    for (const auto* point : contested(points, mode))
      if (ContestPlan contest = contest_at(*point, *who, mode, isas); contest.candidates.size() > 1) contests.push_back(std::move(contest));
  }
}

/// Endings of ert/peak's `form` that compete, beside the plain word (ert/peak.hpp has what each is good for).
struct Shapes {
  std::string_view pattern;
  std::vector<std::string_view> endings;
};
const std::array shapes{Shapes{"fma", {"deep"}},
                        Shapes{"add", {"deep"}},
                        Shapes{"mul", {"deep"}},
                        Shapes{"mul+add", {"deep", "brief"}},
                        Shapes{"fma+add", {"deep"}},
                        Shapes{"scalar fma", {"deep", "wide"}},
                        Shapes{"scalar add", {"deep", "wide"}}};

bool has_32_registers(const Flavor& flavor) { return !isa_of(flavor).starts_with("v2") && !isa_of(flavor).starts_with("v3"); }

/// The same ceiling by another shape of the loop: as many FLOPs a sweep, by as many rounds of another length.
CeilingCase in_shape(const CeilingCase& own, std::string_view ending) {
  CeilingCase one = own;
  one.form = std::string(ending) + " " + isa_of(own.measured.flavor);
  one.name = own.name + ", " + one.form;
  one.measured.parameters.set("form", own.measured.parameters.word("form") + "_" + std::string(ending));
  const auto flops = [](const Case& measured) { return total_flops(measured.work().flops).lo; };
  const std::uint64_t before = flops(own.measured), now = flops(one.measured);
  one.measured.parameters.set("iterations", static_cast<std::int64_t>(own.measured.parameters.integer("iterations") * before / now));
  one.amount_per_sweep = static_cast<double>(flops(one.measured));
  return one;
}

void add_shapes(const CeilingCase& own, std::vector<CeilingCase>& candidates) {
  const auto known = std::find_if(shapes.begin(), shapes.end(), [&](const Shapes& s) { return s.pattern == own.pattern; });
  if (own.measured.kernel->name != "ert/peak" || known == shapes.end()) return;
  for (const auto ending : known->endings)
    if (ending != "wide" || has_32_registers(own.measured.flavor)) candidates.push_back(in_shape(own, ending));
}

/// Adds the contests of arithmetic. A ceiling of another ISA, "FP64 vector FMA (v3)", competes with "FP64 vector FMA" and the other shapes
/// of its loop.
void add_arithmetic_contests(std::span<const CeilingCase> plan, std::vector<ContestPlan>& contests) {
  for (const auto& own : plan) {
    if (own.level != CeilingKind::compute || own.name.ends_with(")")) continue;
    ContestPlan contest;
    for (const auto& other : plan) {
      const std::string isa = isa_of(other.measured.flavor);
      if (other.level != CeilingKind::compute || other.measured.team != own.measured.team) continue;
      if (other.name != own.name && other.name != own.name + " (" + isa + ")") continue;
      CeilingCase one = other;
      one.form = isa;
      one.name = own.name + ", " + isa;
      contest.candidates.push_back(std::move(one));
      if (other.name == own.name) add_shapes(own, contest.candidates);
    }
    if (contest.candidates.size() > 1) contests.push_back(std::move(contest));
  }
}

}  // namespace

std::vector<ContestPlan> plan_contests(CeilingMode mode, std::span<const CeilingCase> plan, std::span<const std::string> isas) {
  std::vector<ContestPlan> contests;
  add_arithmetic_contests(plan, contests);
  add_bandwidth_contests(mode, plan, isas, contests);
  std::stable_sort(contests.begin(), contests.end(), [&](const ContestPlan& a, const ContestPlan& b) {
    const auto place = [&](const ContestPlan& contest) {  // of the team in the plan
      return std::find_if(plan.begin(), plan.end(),
                          [&](const CeilingCase& c) { return c.measured.team == contest.candidates.front().measured.team; }) -
             plan.begin();
    };
    return place(a) < place(b);
  });
  return contests;
}

bool is_other_shape(const CeilingCase& candidate, const CeilingCase& own) {
  return own.level == CeilingKind::compute && candidate.form != own.form && candidate.measured.flavor.name == own.measured.flavor.name;
}

std::vector<CeilingCase> with_winners(std::span<const CeilingCase> plan, std::span<const ContestPlan> contests,
                                      std::span<const std::size_t> winners) {
  using Where = std::tuple<std::string, std::string, std::string, std::string>;  // level, pattern, precision, team
  const auto where = [](const CeilingCase& c) { return Where{c.level, c.pattern, c.precision, c.measured.team.name()}; };
  std::map<Where, std::vector<CeilingCase>> added;
  for (std::size_t i = 0; i < contests.size(); ++i)
    if (winners[i] != 0) added[where(contests[i].candidates.front())].push_back(contests[i].candidates[winners[i]]);
  std::vector<CeilingCase> all;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    all.push_back(plan[i]);
    if (i + 1 < plan.size() && where(plan[i + 1]) == where(plan[i])) continue;
    auto& own = added[where(plan[i])];
    // Points that share the largest data come first, and then the rest.
    std::stable_partition(own.begin(), own.end(), [&](const CeilingCase& c) { return c.data_id() == plan[i].data_id(); });
    std::move(own.begin(), own.end(), std::back_inserter(all));
    own.clear();
  }
  return all;
}

Case small_case(const CeilingCase& ceiling) {
  Case small = ceiling.measured;
  if (small.parameters.has("n")) small.parameters.set("n", std::int64_t{8192} * small.team.threads);
  if (small.parameters.has("repeat")) small.parameters.set("repeat", std::int64_t{2});
  return small;
}

}  // namespace plumbline
